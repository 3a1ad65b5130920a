// Applied and reported differences, by policy, by generation, and by whether the desired state itself requires them.
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

describe('a difference', () => {
  it('is applied under Correct, and is no drift if the desired state requires it', () => {
    expect(step('Correct')).toMatchObject({ kind: 'update', changes: [drifted, due], drift: [drifted] })
  })

  it('is applied under Report if the desired state requires it', () => {
    expect(step('Report')).toMatchObject({ kind: 'update', changes: [due], drift: [] })
    expect(step('Report', { changes: [drifted], done: 'updated' })).toMatchObject({
      kind: 'rest',
      standing: { state: 'available', reason: 'Drifted' },
      drift: [drifted],
    })
  })

  it('is applied for a new generation, and is no drift then', () => {
    const newer = step('Report', { token: { uid: 'uid', generation: 2 } })
    expect(newer).toMatchObject({ kind: 'update', changes: [drifted, due], drift: [] })
  })
})
