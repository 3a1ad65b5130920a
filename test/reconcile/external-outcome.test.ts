// Effect of the external resources on the outcome of a reconcile.
import { describe, expect, it } from 'vitest'
import type { ExternalReport } from '../../src/external/external.ts'
import type { ExternalState } from '../../src/external/external-state.ts'
import { isChange, joinedOutcome, outcomeOfExternals, outcomeOfRemoval } from '../../src/reconcile/external-outcome.ts'
import type { Outcome } from '../../src/reconcile/outcome.ts'

const report = (over: Partial<ExternalReport> = {}): ExternalReport => ({
  name: 'box',
  state: 'available',
  reason: 'R',
  message: 'm',
  drift: [],
  corrected: [],
  ...over,
})
const that = (end: ExternalState['end'], reason: string, retryAfterMs?: number) => ({
  report: report({ reason, message: `${reason}!` }),
  end,
  retryAfterMs,
})

const settled: Outcome = { kind: 'settled' }
const waiting = (on: string, afterMs?: number): Outcome => ({
  kind: 'waiting',
  on,
  ...(afterMs === undefined ? {} : { afterMs }),
})
const retry: Outcome = { kind: 'retry', reason: 'Timeout', message: 't' }
const stopped: Outcome = { kind: 'stopped', reason: 'NotOwned', message: 'n' }

describe('external resources', () => {
  it.each([
    { title: 'none', ends: [], outcome: settled, removal: undefined },
    {
      title: 'all right',
      ends: [that('settled', 'A')],
      outcome: settled,
      removal: undefined,
    },
    {
      title: 'two under way',
      ends: [that('waiting', 'A'), that('waiting', 'B')],
      outcome: waiting('A!; B!'),
      removal: { kind: 'deleting', on: 'A!; B!' },
    },
    {
      title: 'one that has stopped and one under way',
      ends: [that('waiting', 'A'), that('stopped', 'B')],
      outcome: { kind: 'stopped', reason: 'B', message: 'B!' },
      removal: { kind: 'stopped', reason: 'B', message: 'B!' },
    },
    {
      title: 'one that may pass among others',
      ends: [that('stopped', 'A'), that('retry', 'B', 9), that('waiting', 'C')],
      outcome: { kind: 'retry', reason: 'B', message: 'B!', retryAfterMs: 9 },
      removal: { kind: 'retry', reason: 'B', message: 'B!', retryAfterMs: 9 },
    },
  ])('$title make the outcome', ({ ends, outcome, removal }) => {
    expect(outcomeOfExternals(ends)).toEqual(outcome)
    expect(outcomeOfRemoval(ends)).toEqual(removal)
  })

  it.each([
    { children: settled, externals: stopped, joined: stopped },
    { children: waiting('a'), externals: settled, joined: waiting('a') },
    {
      children: waiting('a'),
      externals: waiting('b'),
      joined: waiting('a; b'),
    },
    {
      children: waiting('a'),
      externals: waiting('a', 200),
      joined: waiting('a', 200),
    },
    {
      children: waiting('a'),
      externals: waiting('b', 200),
      joined: waiting('a; b', 200),
    },
    { children: waiting('a'), externals: stopped, joined: stopped },
    { children: stopped, externals: retry, joined: retry },
    { children: retry, externals: stopped, joined: retry },
  ])(
    'that are $externals.kind beside children that are $children.kind make $joined.kind',
    ({ children, externals, joined }) => {
      expect(joinedOutcome(children, externals)).toEqual(joined)
    },
  )

  it.each([
    {
      now: report({
        message: 'other words',
        drift: [{ reason: 'D', message: 'd' }],
        seenAtMs: 5,
      }),
      news: false,
    },
    { now: report({ state: 'vanished' }), news: true },
    { now: report({ observed: { size: 1 } }), news: true },
    { now: report({ providerID: 'p' }), news: true },
  ])('trigger observe again if its view of them changed: $news', ({ now, news }) => {
    expect(isChange([report()], [now])).toBe(news)
  })
})
