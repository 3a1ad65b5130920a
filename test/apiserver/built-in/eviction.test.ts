import { describe, expect, it } from 'vitest'
import { decideEviction } from '../../../src/apiserver/built-in/eviction.ts'
import type { JsonObject } from '../../../src/base/json.ts'

const now = '2026-01-01T00:00:00Z'
const ready = [{ type: 'Ready', status: 'True' }]

function pod(status: JsonObject = { phase: 'Running', conditions: ready }, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: 'web-0', labels: { app: 'web' }, ...metadata }, status }
}

function budget(status: JsonObject, spec: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'web', generation: 2 },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { observedGeneration: 2, desiredHealthy: 2, currentHealthy: 3, ...status },
  }
}

const unready = pod({ phase: 'Running', conditions: [] })

describe('the eviction of a pod', () => {
  it.each([
    ['has ended', pod({ phase: 'Failed' }), false],
    ['is going already', pod(undefined, { deletionTimestamp: now }), false],
    ['never began, if that is still so', pod({ phase: 'Pending' }), true],
    ['is not ready, while enough others are', unready, true],
  ])('ignores budgets for a pod that %s', (_, asked, atResourceVersion) => {
    expect(decideEviction(asked, [budget({ disruptionsAllowed: 0 })], now)).toEqual({
      kind: 'delete',
      atResourceVersion,
    })
  })

  it('is allowed when no budget selects the pod', () => {
    const other = budget({}, { selector: { matchLabels: { app: 'db' } } })
    const without = { metadata: { name: 'none' }, spec: {} }
    expect(decideEviction(pod(), [other, without], now)).toEqual({ kind: 'delete', atResourceVersion: false })
  })

  it('allows an unready pod below its budget only with AlwaysAllow', () => {
    const low = { disruptionsAllowed: 0, currentHealthy: 1 }
    expect(decideEviction(unready, [budget(low)], now).kind).toBe('refuse')
    expect(decideEviction(unready, [budget(low, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })], now)).toEqual({
      kind: 'delete',
      atResourceVersion: true,
    })
  })

  it('takes one disruption from the budget and records the pod', () => {
    const decided = decideEviction(pod(), [budget({ disruptionsAllowed: 2 })], now)
    expect(decided).toMatchObject({
      kind: 'deleteWithin',
      budget: { status: { disruptionsAllowed: 1, disruptedPods: { 'web-0': now } } },
    })
  })

  it('records in the budget that the last disruption is taken', () => {
    const decided = decideEviction(pod(), [budget({ disruptionsAllowed: 1 })], now)
    expect(decided).toMatchObject({
      budget: {
        status: {
          disruptionsAllowed: 0,
          conditions: [
            { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', lastTransitionTime: now },
          ],
        },
      },
    })
  })

  const failed = { type: 'DisruptionAllowed', status: 'False', message: 'no scale' }
  it.each<[JsonObject, number, string | undefined]>([
    [{ observedGeneration: 1 }, 429, 'The disruption budget web is still being processed by the server.'],
    [
      { disruptionsAllowed: 0, currentHealthy: 1 },
      429,
      'The disruption budget web needs 2 healthy pods and has 1 currently',
    ],
    [
      { conditions: [{ ...failed, reason: 'SyncFailed' }] },
      429,
      'The disruption budget web does not allow evicting pods currently because it failed sync: no scale',
    ],
    [
      { conditions: [{ ...failed, reason: 'X' }] },
      429,
      'The disruption budget web does not allow evicting pods currently (X): no scale',
    ],
    [{}, 429, 'The disruption budget web does not allow evicting pods currently'],
    [{ disruptionsAllowed: -1 }, 403, undefined],
  ])('is rejected by a budget of status %j', (status, code, why) => {
    const decided = decideEviction(pod(), [budget(status)], now)
    if (decided.kind !== 'refuse') throw new Error('not refused')
    expect(decided.error.parts).toMatchObject({
      code,
      ...(why === undefined ? {} : { details: { causes: [{ reason: 'DisruptionBudget', message: why }] } }),
    })
  })

  it('is rejected when two budgets select the pod', () => {
    const decided = decideEviction(pod(), [budget({}), budget({})], now)
    expect(decided).toMatchObject({ kind: 'refuse', error: { parts: { code: 500 } } })
  })
})
