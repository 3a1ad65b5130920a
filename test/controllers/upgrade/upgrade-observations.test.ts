import { describe, expect, it } from 'vitest'
import type { BothSides } from '../../../src/controllers/engines/replication-state.ts'
import type { WriterFacts } from '../../../src/controllers/engines/write-freeze.ts'
import {
  type Cutover,
  catchUpObservation,
  cutoverObservation,
  filledObservation,
  freezeNotes,
  freezeObservation,
  freezeRecordIn,
  overdueObservation,
  replicationObservation,
} from '../../../src/controllers/upgrade/upgrade-observations.ts'
import { emptyTarget, followingTarget, replicationSource, replicationToken } from '../engines/replication-facts.ts'

const token = replicationToken
const source = replicationSource
const bare = { ...source, login: undefined, publication: undefined, slot: undefined }
const record = { logins: ['app'] }
const writers = (canLogin: boolean, more: Partial<WriterFacts> = {}): WriterFacts => ({
  ...{ logins: [{ name: 'app', canLogin }], sessions: 0, prepared: 0 },
  ...more,
})

describe('the observation of a target server, with what its method needs', () => {
  const ledger = { token, request: 'to_18', roles: [], holds: 'rows' as const }
  it.each([
    ['schema alone', 'Dump', { ...ledger, holds: 'schema' as const }, 'missing'],
    ['rows', 'Dump', ledger, 'done'],
    ['rows', 'Replication', ledger, 'missing'],
    ['rows of a moment', 'Replication', { ...ledger, from: '0/100' }, 'done'],
    ['rows of a moment', 'Dump', { ...ledger, from: '0/100' }, 'missing'],
  ] as const)('%s, by %s', (_, method, seen, kind) => {
    expect(filledObservation({ kind: 'prepared', ledger: seen }, method)).toMatchObject({ kind })
  })

  it('is broken when it is partial', () => {
    expect(filledObservation({ kind: 'partial', ledger }, 'Replication')).toMatchObject({
      kind: 'broken',
      isTerminal: false,
    })
  })
})

describe('the observation of a replication', () => {
  it.each([
    ['nothing', { source: bare, target: emptyTarget }, { kind: 'missing' }],
    [
      'nothing, also where it could not be begun',
      { source: { ...bare, walLevel: 'replica' }, target: emptyTarget },
      { kind: 'missing' },
    ],
    [
      'a part',
      { source: { ...bare, login: source.login }, target: emptyTarget },
      { kind: 'broken', isTerminal: false },
    ],
    [
      'a slot alone',
      { source: { ...bare, slot: source.slot }, target: emptyTarget },
      { kind: 'broken', isTerminal: false },
    ],
    ['all', { source, target: followingTarget }, { kind: 'done' }],
    ['that only the subscription is due', { source, target: emptyTarget, filledFrom: '0/100' }, { kind: 'missing' }],
    ['that rows are due', { source, target: emptyTarget, filledFrom: undefined }, { kind: 'broken' }],
    [
      'its end',
      { source: { ...source, slot: undefined }, target: followingTarget },
      { kind: 'broken', reason: 'SlotLost', isTerminal: true },
    ],
  ])('%s', (_, sides, sight) => {
    expect(replicationObservation({ filledFrom: undefined, ...sides }, token)).toMatchObject(sight)
  })
})

describe('the observation of replication before the write freeze', () => {
  const cutover = (sides: Partial<BothSides>, more: Partial<Cutover>) =>
    cutoverObservation(
      {
        ...{ sides: { source, target: followingTarget, filledFrom: undefined, ...sides }, goal: '0/100' },
        ...{ waitsFor: undefined, ...more },
      },
      token,
    )
  const gone = { ...source, slot: undefined }
  const disabled = { ...followingTarget, subscription: undefined }
  it.each([
    [
      'how far it is behind',
      { source, target: followingTarget },
      { kind: 'pending', progress: '128 bytes behind; say so' },
    ],
    ['that its slot is gone', { source: gone, target: followingTarget }, { kind: 'broken', reason: 'SlotLost' }],
    ['that nothing follows', { source, target: disabled, filledFrom: '0/100' }, { reason: 'ReplicationLost' }],
    [
      'that others have taken its place',
      { source: { ...source, publication: { token: undefined } }, target: followingTarget },
      { reason: 'NotOwned' },
    ],
  ])('%s', (_, sides, sight) => {
    expect(cutover(sides, { waitsFor: 'say so' })).toMatchObject(sight)
  })

  const subscription = { token, isEnabled: true, isRunning: false, failures: 3 }
  const far = { ...source, position: '3/180' }
  it.each([
    ['is asked for a goal first', source, followingTarget, { goal: undefined }, { kind: 'missing' }],
    ['has kept what was written until then', source, followingTarget, {}, { kind: 'done' }],
    [
      'has not kept it yet',
      source,
      followingTarget,
      { goal: '0/101' },
      { kind: 'pending', progress: '128 bytes behind; applications are not turned away before it has caught up' },
    ],
    ['is hours behind what was written since', far, followingTarget, {}, { kind: 'pending' }],
    [
      'cannot apply what it is given',
      source,
      { ...followingTarget, subscription },
      {},
      { kind: 'pending', progress: expect.stringMatching(/^128 bytes behind, 3 failed attempts/) },
    ],
  ] as const)('waits no longer except when it %s', (_, from, target, more, sight) => {
    expect(cutover({ source: from, target }, more)).toMatchObject(sight)
  })

  it.each([
    ['less than it may', source, 128n, undefined],
    ['more', source, 127n, 'ReplicationLagging'],
    ['any amount', source, undefined, undefined],
    ['nothing', { ...source, slot: undefined }, 0n, undefined],
  ] as const)('reports the lag when the source server keeps %s', (_, kept, mayLagBytes, reason) => {
    expect(overdueObservation(kept, mayLagBytes)?.reason).toBe(reason)
  })
})

describe('the observation of a write freeze', () => {
  it.each([
    ['nothing before it is recorded', undefined, writers(false), 'forward', { kind: 'missing' }],
    ['nothing before it is begun', record, writers(true), 'forward', { kind: 'missing' }],
    ['all', record, writers(false), 'forward', { kind: 'done' }],
    ['all of it where nobody could log in', { logins: [] }, writers(false), 'forward', { kind: 'done' }],
    ['who is still there', record, writers(false, { sessions: 2 }), 'forward', { kind: 'broken', isTerminal: false }],
    ['what was prepared', record, writers(false, { prepared: 1 }), 'forward', { kind: 'pending' }],
    [
      'who came since',
      record,
      writers(false, {
        logins: [
          { name: 'app', canLogin: false },
          { name: 'new', canLogin: true },
        ],
      }),
      'forward',
      { kind: 'broken', reason: 'WriterCame', isTerminal: true },
    ],
    ['on the way back, who is still away', record, writers(false), 'back', { kind: 'done' }],
    ['on the way back, its end', record, writers(true), 'back', { kind: 'missing' }],
    ['on the way back, its end where nobody could log in', { logins: [] }, writers(false), 'back', { kind: 'missing' }],
  ] as const)('%s', (_, recorded, facts, direction, sight) => {
    expect(freezeObservation(recorded, facts, direction)).toMatchObject(sight)
  })

  it('the recorded logins are parsed as they were written', () => {
    expect(freezeRecordIn(freezeNotes(record))).toEqual(record)
    expect(freezeRecordIn({})).toBeUndefined()
  })
})

describe('the observation of the last rows', () => {
  const sides = { source, target: followingTarget, filledFrom: undefined }
  const subscription = { token, isEnabled: true, isRunning: true, failures: 3 }
  const failing = { ...followingTarget, subscription }
  const seen = { sides, goal: '0/100', record, writers: writers(false) }
  it.each([
    ['nothing before there is a goal', { goal: undefined }, { kind: 'missing' }],
    ['how far they are', { goal: '0/101' }, { kind: 'pending', progress: '128 bytes behind' }],
    [
      'what keeps them back',
      { goal: '0/101', sides: { ...sides, target: failing } },
      { progress: '128 bytes behind, 3 failed attempts, of which the log of the new server tells why' },
    ],
    [
      'that somebody writes',
      { writers: writers(true) },
      { kind: 'broken', reason: 'WriteFreezeLost', isTerminal: true },
    ],
    [
      'that the slot is gone',
      { sides: { ...sides, source: { ...source, slot: undefined } } },
      { kind: 'broken', reason: 'SlotLost' },
    ],
  ])('%s', (_, change, sight) => {
    expect(catchUpObservation({ ...seen, ...change }, token)).toMatchObject(sight)
  })

  it('is empty when all rows have arrived', () => {
    expect(catchUpObservation(seen, token)).toBeUndefined()
  })
})
