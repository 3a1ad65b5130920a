import { describe, expect, it } from 'vitest'
import type { Metrics } from '../../src/base/instrument.ts'
import type { Condition } from '../../src/object/condition.ts'
import { keyFor } from '../../src/object/ref.ts'
import type { Outcome } from '../../src/reconcile/outcome.ts'
import { TurnMetrics } from '../../src/reconcile/turn-metrics.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { live } from '../objects.ts'

/** The lines of the exposition that tell of these metrics. */
async function setUp() {
  const prometheus = new PrometheusMetrics()
  const metrics: Metrics = prometheus
  const shown = async (name: string) =>
    (await prometheus.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
  return { metrics: new TurnMetrics(metrics, 'stores'), shown }
}
const condition = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: '',
})

describe('the metrics of turns', () => {
  it('count the deletes that were put off', async () => {
    const { metrics, shown } = await setUp()
    metrics.countStaleSkip()
    expect(await shown('stale_sync_skips_total')).toEqual(['stale_sync_skips_total{controller="stores"} 1'])
  })

  it.each<{ outcome: Outcome; errors: readonly string[] }>([
    { outcome: { kind: 'settled' }, errors: [] },
    { outcome: { kind: 'waiting', on: 'x' }, errors: [] },
    { outcome: { kind: 'deleting', on: 'x' }, errors: [] },
    { outcome: { kind: 'retry', reason: 'Timeout', message: 'm' }, errors: ['reason="Timeout"'] },
    { outcome: { kind: 'stopped', reason: 'InvalidSpec', message: 'm' }, errors: ['reason="InvalidSpec"'] },
  ])('of a turn that ends $outcome.kind count its time and $errors', async ({ outcome, errors }) => {
    const { metrics, shown } = await setUp()
    metrics.observeTurn(outcome, 250)
    expect(await shown('reconciliation_duration_seconds_sum')).toEqual([
      `reconciliation_duration_seconds_sum{controller="stores",outcome="${outcome.kind}"} 0.25`,
    ])
    const counted = await shown('reconciliation_errors_total')
    expect(counted).toEqual(errors.map((reason) => `reconciliation_errors_total{controller="stores",${reason}} 1`))
  })

  it('show a condition as 1 while it is true, and drop it when it is no longer claimed or the resource is gone', async () => {
    const { metrics, shown } = await setUp()
    const [a, b] = [live({ metadata: { name: 'a' } }), live({ metadata: { name: 'b' } })]
    const ready = (name: string, value: number, type = 'Ready') =>
      `resource_condition{controller="stores",namespace="default",name="${name}",type="${type}"} ${value}`
    metrics.observeConditions(a, [condition('Ready', 'False'), condition('Stalled', 'True')])
    metrics.observeConditions(b, [condition('Ready', 'Unknown')])
    expect(await shown('resource_condition')).toEqual([ready('a', 0), ready('a', 1, 'Stalled'), ready('b', 0)])
    metrics.observeConditions(a, [condition('Ready', 'True')])
    expect(await shown('resource_condition')).toEqual([ready('b', 0), ready('a', 1)].sort())
    metrics.forget(keyFor('default', 'a'))
    metrics.forget(keyFor('default', 'never seen'))
    expect(await shown('resource_condition')).toEqual([ready('b', 0)])
  })
})
