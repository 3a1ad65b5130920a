// Every row of the removal's table: the journal entry, the observation, and the next step.
import { describe, expect, it } from 'vitest'
import type { ExternalRecord, Observation, Token } from '../../src/external/external.ts'
import { type RemovalInput, type RemovalStep, removalStep } from '../../src/external/removal.ts'

const nowMs = Date.parse('2026-01-01T01:00:00Z')
const ago = (ms: number) => new Date(nowMs - ms).toISOString().replace('.000Z', 'Z')
const us: Token = { uid: 'us', generation: 3 }
const them: Token = { uid: 'them', generation: 1 }
const asked: ExternalRecord = {
  name: 'box',
  phase: 'Pending',
  externalName: 'first',
  token: us,
  requestedAt: ago(10_000),
}
const made: ExternalRecord = { ...asked, phase: 'Available', providerID: 'p1' }
const going: ExternalRecord = { ...made, phase: 'Deleting' }

const absent: Observation<unknown> = { kind: 'absent', proof: 'authoritative' }
const hidden: Observation<unknown> = { kind: 'absent', proof: 'hint' }
const at = (kind: 'pending' | 'available', owner: Token | undefined, providerID = 'p1'): Observation<unknown> =>
  kind === 'pending' ? { kind, owner, providerID, detail: 'creating' } : { kind, owner, providerID, observed: {} }
const broken = (owner: Token | undefined): Observation<unknown> => ({
  kind: 'broken',
  reason: 'NoSpace',
  message: 'm',
  isTerminal: true,
  owner,
})

const slow = { visibilityDelayMs: 60_000, pollMs: 5_000, createTimeoutMs: 300_000 }
const input: RemovalInput = {
  token: us,
  record: made,
  observation: absent,
  consistency: { ...slow, visibilityDelayMs: 0 },
  nowMs,
  missingForMs: 0,
  isAskedFor: false,
}

interface Row extends Partial<RemovalInput> {
  readonly title: string
  readonly is: string
}

function inShort(step: RemovalStep): string {
  if (step.kind === 'delete') return `delete, ${step.record.phase}`
  const { state, reason, end } = step.standing
  return step.kind === 'end' ? `end: ${state}/${reason}` : `${end}: ${state}/${reason}, ${step.record.phase}`
}

const rows: readonly Row[] = [
  { title: 'not there', is: 'end: gone/Gone' },
  { title: 'asked for and certainly not there', record: asked, is: 'end: gone/Gone' },
  {
    title: 'asked for, and a first hint, however long ago that was',
    record: { ...asked, requestedAt: ago(600_000) },
    observation: hidden,
    consistency: slow,
    is: 'waiting: notYetVisible/NotYetVisible, Pending',
  },
  {
    title: 'asked for lately by another, and hints for as long as they may be wrong',
    record: asked,
    observation: hidden,
    consistency: slow,
    missingForMs: 60_000,
    is: 'waiting: notYetVisible/NotYetVisible, Pending',
  },
  {
    title: 'asked for, and hints for as long as they may be wrong',
    record: { ...asked, requestedAt: ago(61_000) },
    observation: hidden,
    consistency: slow,
    missingForMs: 60_000,
    is: 'end: gone/Gone',
  },
  {
    title: 'asked for by a clock that was ahead, and hints for as long as they may be wrong',
    record: { ...asked, requestedAt: ago(-10 * 365 * 86_400_000) },
    observation: hidden,
    consistency: slow,
    missingForMs: 60_000,
    is: 'end: gone/Gone',
  },
  {
    title: 'seen before, and a first hint',
    record: going,
    observation: hidden,
    consistency: slow,
    is: 'waiting: notYetVisible/NotVisible, Deleting',
  },
  {
    title: 'seen before, and hints for as long as they may be wrong',
    record: going,
    observation: hidden,
    consistency: slow,
    missingForMs: 60_000,
    is: 'end: gone/Gone',
  },
  { title: 'ours', observation: at('available', us), is: 'delete, Deleting' },
  {
    title: 'ours by an earlier generation',
    observation: at('available', { ...us, generation: 1 }),
    is: 'delete, Deleting',
  },
  {
    title: 'ours, asked for a moment ago',
    observation: at('available', us),
    isAskedFor: true,
    is: 'waiting: deleting/BeingDeleted, Available',
  },
  { title: 'ours, on its way', observation: at('pending', us), record: asked, is: 'delete, Deleting' },
  { title: 'ours and broken', observation: broken(us), is: 'delete, Deleting' },
  { title: 'broken, and nobody knows whose', observation: broken(undefined), is: 'retry: broken/NoSpace, Available' },
  { title: 'another’s and broken', observation: broken(them), is: 'end: kept/NotOwned' },
  { title: 'another’s', observation: at('available', them), is: 'end: kept/NotOwned' },
  { title: 'unmarked', observation: at('available', undefined), is: 'end: kept/NotOwned' },
  {
    title: 'unmarked, asked for lately',
    record: asked,
    observation: at('available', undefined),
    consistency: slow,
    is: 'waiting: notYetVisible/NotYetVisible, Pending',
  },
  { title: 'a copy with our mark', observation: at('available', us, 'p2'), is: 'end: kept/IdentityChanged' },
  {
    title: 'put by us in the place of what was recorded',
    observation: { kind: 'available', owner: us, providerID: 'p2', succeeds: 'p1', observed: {} },
    is: 'delete, Deleting',
  },
  { title: 'going', observation: { kind: 'deleting', detail: 'd' }, is: 'waiting: deleting/BeingDeleted, Deleting' },
]

describe('an external resource to remove', () => {
  it.each(rows)('and is $title: $is', ({ title: _, is, ...given }) => {
    expect(inShort(removalStep({ ...input, ...given }))).toBe(is)
  })
})
