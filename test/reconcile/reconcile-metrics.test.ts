import { describe, expect, it } from 'vitest'
import type { Metrics } from '../../src/base/instrument.ts'
import type { Condition } from '../../src/object/condition.ts'
import { keyFor } from '../../src/object/ref.ts'
import type { ConditionMetricsOptions } from '../../src/reconcile/condition-metrics.ts'
import type { Outcome } from '../../src/reconcile/outcome.ts'
import { ReconcileMetrics } from '../../src/reconcile/reconcile-metrics.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { live } from '../objects.ts'

/** Returns a function that filters the exposition for these metrics. */
async function setUp(options: ConditionMetricsOptions = {}) {
  const prometheus = new PrometheusMetrics()
  const metrics: Metrics = prometheus
  const shown = async (name: string) =>
    (await prometheus.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
  return { metrics: new ReconcileMetrics(metrics, 'stores', options), shown }
}
const condition = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: '',
})

describe('the metrics of reconciles', () => {
  it('count postponed deletions', async () => {
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
  ])('count the time of a reconcile that ends $outcome.kind, and $errors', async ({ outcome, errors }) => {
    const { metrics, shown } = await setUp()
    metrics.observeTurn(outcome, 250)
    expect(await shown('reconciliation_duration_seconds_sum')).toEqual([
      `reconciliation_duration_seconds_sum{controller="stores",outcome="${outcome.kind}"} 0.25`,
    ])
    const counted = await shown('reconciliation_errors_total')
    expect(counted).toEqual(errors.map((reason) => `reconciliation_errors_total{controller="stores",${reason}} 1`))
  })

  it('count the conditions of resources by status and reason', async () => {
    const { metrics, shown } = await setUp()
    const counted = (labels: string, count: number) => `resource_conditions{controller="stores",${labels}} ${count}`
    for (const name of ['a', 'b', 'c'])
      metrics.conditions.observe(live({ metadata: { name } }), [condition('Ready', 'True')])
    metrics.conditions.observe(live({ metadata: { name: 'c' } }), [
      condition('Ready', 'False'),
      condition('Stalled', 'True'),
    ])
    const ready = 'type="Ready",status="True",reason="R"'
    const not = 'type="Ready",status="False",reason="R"'
    const stalled = 'type="Stalled",status="True",reason="R"'
    expect((await shown('resource_conditions')).sort()).toEqual([
      counted(not, 1),
      counted(ready, 2),
      counted(stalled, 1),
    ])
    metrics.conditions.forget(keyFor('default', 'c'))
    metrics.conditions.forget(keyFor('default', 'never seen'))
    expect(await shown('resource_conditions')).toEqual([counted(ready, 2)])
  })

  const own = (name: string, value: number, type = 'Ready') =>
    `resource_condition{controller="stores",namespace="default",name="${name}",type="${type}"} ${value}`

  it('show the conditions of a resource while it needs attention', async () => {
    const { metrics, shown } = await setUp({ abnormal: ['Overdue'] })
    const [a, b, c] = ['a', 'b', 'c'].map((name) => live({ metadata: { name } }))
    if (a === undefined || b === undefined || c === undefined) throw new Error('there are three')
    metrics.conditions.observe(a, [condition('Ready', 'False'), condition('Stalled', 'True')])
    metrics.conditions.observe(b, [condition('Ready', 'True'), condition('Degraded', 'False')])
    metrics.conditions.observe(c, [condition('Ready', 'True'), condition('Overdue', 'True')])
    expect((await shown('resource_condition')).sort()).toEqual(
      [own('a', 0), own('a', 1, 'Stalled'), own('c', 1, 'Overdue'), own('c', 1)].sort(),
    )
    metrics.conditions.observe(a, [condition('Ready', 'True')])
    metrics.conditions.forget(keyFor('default', 'c'))
    expect(await shown('resource_condition')).toEqual([])
  })

  it('show every resource if configured, and drop conditions that are no longer claimed', async () => {
    const { metrics, shown } = await setUp({ perResource: true })
    const a = live({ metadata: { name: 'a' } })
    metrics.conditions.observe(a, [condition('Ready', 'True'), condition('Loaded', 'True')])
    expect(await shown('resource_condition')).toEqual([own('a', 1), own('a', 1, 'Loaded')])
    metrics.conditions.observe(a, [condition('Ready', 'True')])
    expect(await shown('resource_condition')).toEqual([own('a', 1)])
  })

  it('have a bounded number of series, even if all resources need attention for different reasons', async () => {
    const { metrics, shown } = await setUp()
    const names = Array.from({ length: 3_000 }, (_, index) => `r${index}`)
    const failing = (name: string, reason: string) =>
      metrics.conditions.observe(live({ metadata: { name } }), [{ ...condition('Ready', 'False'), reason }])
    for (const name of names) failing(name, name)
    expect(await shown('resource_condition')).toHaveLength(1_000)
    const counts = await shown('resource_conditions')
    expect(counts.length).toBeLessThanOrEqual(501)
    expect(counts).toContain('resource_conditions{controller="stores",type="Ready",status="False",reason="Other"} 2500')
    for (const name of names) metrics.conditions.forget(keyFor('default', name))
    expect([...(await shown('resource_condition')), ...(await shown('resource_conditions'))]).toEqual([])
    failing('again', 'R')
    expect(await shown('resource_condition')).toHaveLength(1)
  })
})
