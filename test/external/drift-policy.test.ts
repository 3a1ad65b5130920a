// Which of what differs is carried out, and which is only told? By policy, generation, and whether the wish itself asks for it.
import { describe, expect, it } from 'vitest'
import { type CreationInput, creationStep } from '../../src/external/creation.ts'
import type { ExternalRecord } from '../../src/external/external.ts'

const token = { uid: 'uid', generation: 1 }
const record: ExternalRecord = {
  ...{ name: 'box', phase: 'Available', externalName: 'a-box', token, providerID: 'box/1' },
  ...{ requestedAt: '2026-01-01T00:00:00Z', appliedGeneration: 1 },
}
const drifted = { reason: 'SizeChanged', message: 'its size is 7, not 1' }
const due = { reason: 'KeyDue', message: 'its key is to be changed', isWished: true }

function step(driftPolicy: 'Correct' | 'Report', more: Partial<CreationInput> = {}) {
  return creationStep({
    name: 'box',
    wish: { externalName: 'a-box', driftPolicy },
    token,
    record,
    observation: { kind: 'available', providerID: 'box/1', owner: token, observed: {} },
    changes: [drifted, due],
    consistency: { visibilityDelayMs: 0, pollMs: 1_000, createTimeoutMs: 1_000 },
    nowMs: 0,
    missingForMs: 0,
    done: 'nothing',
    futileUpdates: 0,
    ...more,
  })
}

describe('what differs', () => {
  it('is all carried out where drift is put right, and what the wish asks for is no drift', () => {
    expect(step('Correct')).toMatchObject({ kind: 'update', changes: [drifted, due], drift: [drifted] })
  })

  it('is carried out where drift is only told, as far as the wish asks for it', () => {
    expect(step('Report')).toMatchObject({ kind: 'update', changes: [due], drift: [] })
    expect(step('Report', { changes: [drifted], done: 'updated' })).toMatchObject({
      kind: 'rest',
      standing: { state: 'available', reason: 'Drifted' },
      drift: [drifted],
    })
  })

  it('is all carried out for a new generation, and none of it is drift', () => {
    const newer = step('Report', { token: { uid: 'uid', generation: 2 } })
    expect(newer).toMatchObject({ kind: 'update', changes: [drifted, due], drift: [] })
  })
})
