// Every row of the protocol's table: the journal entry, the observation, the desired state, and the next step.
import { describe, expect, it } from 'vitest'
import { type CreationInput, type CreationStep, creationStep } from '../../src/external/creation.ts'
import type { ExternalRecord, Observation, Token } from '../../src/external/external.ts'

const nowMs = Date.parse('2026-01-01T01:00:00Z')
const ago = (ms: number) => new Date(nowMs - ms).toISOString().replace('.000Z', 'Z')
const us: Token = { uid: 'us', generation: 3 }
const older: Token = { uid: 'us', generation: 1 }
const them: Token = { uid: 'them', generation: 1 }

const asked: ExternalRecord = {
  name: 'box',
  phase: 'Pending',
  externalName: 'first',
  token: older,
  requestedAt: ago(10_000),
}
const seen: ExternalRecord = { ...asked, providerID: 'p1' }
const made: ExternalRecord = { ...seen, phase: 'Available', appliedGeneration: 3 }
const outdated: ExternalRecord = { ...made, appliedGeneration: 2 }
const going: ExternalRecord = { ...made, phase: 'Deleting' }

const absent: Observation<unknown> = { kind: 'absent', proof: 'authoritative' }
const hidden: Observation<unknown> = { kind: 'absent', proof: 'hint' }
const busy = (owner: Token | undefined, providerID = 'p1'): Observation<unknown> => ({
  kind: 'pending',
  owner,
  providerID,
  detail: 'creating',
})
const there = (owner: Token | undefined, providerID = 'p1', succeeds?: string): Observation<unknown> => ({
  kind: 'available',
  owner,
  providerID,
  succeeds,
  observed: {},
})
const goingAway: Observation<unknown> = { kind: 'deleting', detail: 'going' }
const broken = (isTerminal: boolean): Observation<unknown> => ({
  kind: 'broken',
  reason: 'NoSpace',
  message: 'm',
  isTerminal,
})
const change = { reason: 'Bigger', message: 'it is bigger' }

interface Row extends Partial<CreationInput> {
  readonly title: string
  readonly is: string
}

/** A step as text: `create`, `rest vanished/Vanished stopped Available`. */
function inShort(step: CreationStep): string {
  if (step.kind === 'create') return `create ${step.record.externalName} for generation ${step.record.token.generation}`
  if (step.kind === 'adopt') return `adopt ${step.record.providerID}`
  if (step.kind === 'update')
    return `update ${step.changes.map(({ reason }) => reason)} ${step.drift.length > 0 ? 'drift' : 'news'}`
  const { state, reason, end } = step.standing
  const drift = step.drift.length === 0 ? '' : ` but ${step.drift.map(({ reason: word }) => word)}`
  const { phase, providerID, appliedGeneration } = step.record ?? {}
  const record = phase === undefined ? 'no record' : `${phase} ${providerID} ${appliedGeneration}`
  return `${end}: ${state}/${reason}${drift}; ${record}`
}

const slow = { visibilityDelayMs: 60_000, pollMs: 5_000, createTimeoutMs: 300_000 }
const input: CreationInput = {
  name: 'box',
  wish: { externalName: 'wished' },
  token: us,
  record: undefined,
  observation: absent,
  changes: [],
  consistency: { visibilityDelayMs: 0, pollMs: 5_000, createTimeoutMs: 300_000 },
  nowMs,
  missingForMs: 0,
  done: 'nothing',
  futileUpdates: 0,
}

const adopts = { externalName: 'wished', adopts: true }
const reports = { externalName: 'wished', driftPolicy: 'Report' as const }
const recreates = { externalName: 'wished', recreatesIfMissing: true }

const absentRows: readonly Row[] = [
  { title: 'nothing recorded', is: 'create wished for generation 3' },
  { title: 'nothing recorded and a hint', observation: hidden, is: 'create wished for generation 3' },
  { title: 'asked for, and certainly not made', record: asked, is: 'create first for generation 3' },
  {
    title: 'asked for lately',
    record: asked,
    observation: hidden,
    consistency: slow,
    is: 'waiting: notYetVisible/NotYetVisible; Pending undefined undefined',
  },
  {
    title: 'asked for long ago',
    record: { ...asked, requestedAt: ago(61_000) },
    observation: hidden,
    consistency: slow,
    is: 'create first for generation 3',
  },
  {
    title: 'asked for by a clock that was ahead',
    record: { ...asked, requestedAt: ago(-10 * 365 * 86_400_000) },
    observation: hidden,
    consistency: slow,
    is: 'create first for generation 3',
  },
  {
    title: 'just created, slowly visible',
    record: { ...asked, requestedAt: ago(0) },
    observation: hidden,
    consistency: slow,
    done: 'created',
    is: 'waiting: notYetVisible/NotYetVisible; Pending undefined undefined',
  },
  {
    title: 'just created, and certainly not there',
    record: asked,
    done: 'created',
    is: 'retry: failed/NotCreated; Pending undefined undefined',
  },
  {
    title: 'a taken name of what is not to be seen',
    record: asked,
    observation: hidden,
    consistency: slow,
    done: 'nameTaken',
    is: 'retry: failed/AlreadyExists; Pending undefined undefined',
  },
  { title: 'seen before', record: made, is: 'stopped: vanished/Vanished; Available p1 3' },
  { title: 'seen before, while it was made', record: seen, is: 'stopped: vanished/Vanished; Pending p1 undefined' },
  { title: 'seen before, to be made anew', record: made, wish: recreates, is: 'create first for generation 3' },
  {
    title: 'seen before, and a first hint',
    record: made,
    observation: hidden,
    consistency: slow,
    wish: recreates,
    is: 'waiting: notYetVisible/NotVisible; Available p1 3',
  },
  {
    title: 'seen before, and hints for as long as they may be wrong',
    record: made,
    observation: hidden,
    consistency: slow,
    missingForMs: 60_000,
    is: 'stopped: vanished/Vanished; Available p1 3',
  },
  { title: 'removed by ourselves, and wanted again', record: going, is: 'create first for generation 3' },
  {
    title: 'removed by ourselves, and perhaps gone',
    record: going,
    observation: hidden,
    consistency: slow,
    is: 'waiting: notYetVisible/NotVisible; Deleting p1 3',
  },
]

const thereRows: readonly Row[] = [
  { title: 'ours without a record', observation: there(older), is: 'adopt p1' },
  {
    title: 'ours, asked for',
    record: asked,
    observation: there(older),
    is: 'settled: available/AsDesired; Available p1 3',
  },
  {
    title: 'ours and as desired',
    record: made,
    observation: there(older),
    is: 'settled: available/AsDesired; Available p1 3',
  },
  {
    title: 'ours, and as a new generation wants it',
    record: outdated,
    observation: there(older),
    is: 'settled: available/AsDesired; Available p1 3',
  },
  {
    title: 'ours, wanted again',
    record: going,
    observation: there(older),
    is: 'settled: available/AsDesired; Available p1 3',
  },
  {
    title: 'ours, drifted',
    record: made,
    observation: there(older),
    changes: [change],
    is: 'update Bigger drift',
  },
  {
    title: 'ours, drifted, to be reported',
    record: made,
    observation: there(older),
    changes: [change],
    wish: reports,
    is: 'settled: available/Drifted but Bigger; Available p1 3',
  },
  {
    title: 'ours, a new generation, drift to be reported',
    record: outdated,
    observation: there(older),
    changes: [change],
    wish: reports,
    is: 'update Bigger news',
  },
  { title: 'ours, first look', record: asked, observation: there(us), changes: [change], is: 'update Bigger news' },
  {
    title: 'ours, changed, and it does not show',
    record: outdated,
    observation: there(older),
    changes: [change],
    done: 'updated',
    futileUpdates: 1,
    is: 'waiting: pending/ChangesPending; Available p1 2',
  },
  {
    title: 'ours, changed for the third time in vain',
    record: made,
    observation: there(older),
    changes: [change],
    done: 'updated',
    futileUpdates: 3,
    is: 'retry: failed/ChangesDoNotHold; Available p1 3',
  },
  {
    title: 'the one we made, without its mark',
    record: made,
    observation: there(undefined),
    is: 'update MarkMissing drift',
  },
  { title: 'unmarked and unknown', observation: there(undefined), is: 'stopped: notOwned/NotOwned; no record' },
  { title: 'another’s', observation: there(them), is: 'stopped: notOwned/NotOwned; no record' },
  {
    title: 'another’s in the place of what we asked for',
    record: asked,
    observation: there(them),
    is: 'stopped: notOwned/NotOwned; Pending undefined undefined',
  },
  {
    title: 'unmarked, asked for lately',
    record: asked,
    observation: there(undefined),
    consistency: slow,
    is: 'waiting: notYetVisible/NotYetVisible; Pending undefined undefined',
  },
  {
    title: 'unmarked, asked for long ago',
    record: { ...asked, requestedAt: ago(61_000) },
    observation: there(undefined),
    consistency: slow,
    is: 'stopped: notOwned/NotOwned; Pending undefined undefined',
  },
  { title: 'unmarked, to be adopted', observation: there(undefined), wish: adopts, is: 'adopt p1' },
  { title: 'another’s, to be adopted', observation: there(them), wish: adopts, is: 'adopt p1' },
  {
    title: 'adopted, not yet marked',
    record: seen,
    observation: there(them),
    wish: adopts,
    is: 'update MarkMissing news',
  },
  {
    title: 'taken from us by another',
    record: made,
    observation: there(them),
    wish: adopts,
    is: 'stopped: notOwned/NotOwned; Available p1 3',
  },
  {
    title: 'taken from us by another, to be taken back since',
    record: outdated,
    observation: there(them),
    wish: adopts,
    is: 'adopt p1',
  },
  {
    title: 'replaced by a copy with our mark',
    record: made,
    observation: there(older, 'p2'),
    wish: adopts,
    is: 'stopped: vanished/IdentityChanged; Available p1 3',
  },
  {
    title: 'put by us in the place of what was recorded',
    record: made,
    observation: there(older, 'p2', 'p1'),
    is: 'settled: available/AsDesired; Available p2 3',
  },
  {
    title: 'put by us in its place, without what was carried out there',
    record: made,
    wish: reports,
    observation: there(older, 'p2', 'p1'),
    changes: [change],
    is: 'update Bigger news',
  },
  {
    title: 'put by us in the place of something else',
    record: made,
    observation: there(older, 'p2', 'p0'),
    is: 'stopped: vanished/IdentityChanged; Available p1 3',
  },
  {
    title: 'put by another in the place of what was recorded',
    record: made,
    observation: there(them, 'p2', 'p1'),
    is: 'stopped: vanished/IdentityChanged; Available p1 3',
  },
  {
    title: 'replaced by a copy, to be taken over since',
    record: outdated,
    observation: there(older, 'p2'),
    wish: adopts,
    is: 'adopt p2',
  },
]

const otherRows: readonly Row[] = [
  {
    title: 'ours, on its way',
    record: asked,
    observation: busy(us),
    is: 'waiting: pending/Provisioning; Pending p1 undefined',
  },
  { title: 'ours, on its way, without a record', observation: busy(us), is: 'adopt p1' },
  {
    title: 'ours, on its way for too long',
    record: { ...asked, requestedAt: ago(301_000) },
    observation: busy(us),
    is: 'stopped: pending/ProvisionTimeout; Pending p1 undefined',
  },
  {
    title: 'ours, busy long after it was made',
    record: { ...made, requestedAt: ago(301_000) },
    observation: busy(us),
    is: 'waiting: pending/Provisioning; Available p1 3',
  },
  { title: 'another’s, on its way', observation: busy(them), is: 'stopped: notOwned/NotOwned; no record' },
  { title: 'going', record: made, observation: goingAway, is: 'waiting: deleting/BeingDeleted; Available p1 3' },
  { title: 'broken for good', record: made, observation: broken(true), is: 'stopped: broken/NoSpace; Available p1 3' },
  { title: 'broken for now', record: made, observation: broken(false), is: 'retry: broken/NoSpace; Available p1 3' },
]

describe('a desired external resource', () => {
  it.each(absentRows)('and not there: $title: $is', ({ title: _, is, ...given }) => {
    expect(inShort(creationStep({ ...input, ...given }))).toBe(is)
  })

  it.each(thereRows)('and there: $title: $is', ({ title: _, is, ...given }) => {
    expect(inShort(creationStep({ ...input, ...given }))).toBe(is)
  })

  it.each(otherRows)('and neither: $title: $is', ({ title: _, is, ...given }) => {
    expect(inShort(creationStep({ ...input, ...given }))).toBe(is)
  })

  it('is recreated without data of the earlier one', () => {
    const step = creationStep({ ...input, record: made, wish: recreates })
    expect(step).toEqual({
      kind: 'create',
      record: { name: 'box', phase: 'Pending', externalName: 'first', token: us, requestedAt: '2026-01-01T01:00:00Z' },
    })
  })
})
