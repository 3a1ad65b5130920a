import { Gauge, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'

const turns = { name: 'turns_total', help: 'Turns.', labels: ['outcome'] }

describe('PrometheusMetrics', () => {
  it('exposes counters, gauges and histograms in the text format', async () => {
    const metrics = new PrometheusMetrics()
    metrics.counter(turns).add({ outcome: 'settled' })
    metrics.counter(turns).add({ outcome: 'settled' }, 2)
    metrics.gauge({ name: 'depth', help: 'Depth.', labels: [] }).set({}, 7)
    metrics.histogram({ name: 'duration_seconds', help: 'Duration.', labels: [], buckets: [1, 10] }).observe({}, 5)
    const text = await metrics.text()
    expect(text).toContain('# HELP turns_total Turns.\n# TYPE turns_total counter\nturns_total{outcome="settled"} 3')
    expect(text).toContain('depth 7')
    expect(text).toContain('duration_seconds_bucket{le="1"} 0')
    expect(text).toContain('duration_seconds_bucket{le="10"} 1')
    expect(metrics.contentType).toContain('text/plain')
  })

  it('adds the label of the operator to every series', async () => {
    const metrics = new PrometheusMetrics({ operator: 'shop', processMetrics: true })
    metrics.counter(turns).add({ outcome: 'settled' })
    metrics.gauge({ name: 'depth', help: 'Depth.', labels: [] }).set({}, 7)
    const text = await metrics.text()
    expect(text).toContain('turns_total{outcome="settled",operator="shop"} 1')
    expect(text).toContain('depth{operator="shop"} 7')
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(series.filter((line) => !line.includes('operator="shop"'))).toEqual([])
  })

  it('returns the existing metric for a known name', () => {
    const metrics = new PrometheusMetrics()
    expect(metrics.counter(turns)).toBe(metrics.counter(turns))
  })

  it('shares nothing with another instance', async () => {
    const [one, other] = [new PrometheusMetrics(), new PrometheusMetrics()]
    one.counter(turns).add({ outcome: 'settled' })
    other.counter(turns)
    expect(await other.text()).not.toContain('settled')
  })

  it('shares the registry of a program with other operators, and labels only its own series', async () => {
    const registry = new Registry()
    new Gauge({ name: 'visitors', help: 'Of the program.', registers: [registry] }).set(3)
    const [shop, blog] = ['shop', 'blog'].map((operator) => new PrometheusMetrics({ operator, registry }))
    shop?.counter(turns).add({ outcome: 'settled' }, 2)
    blog?.counter(turns).add({ outcome: 'settled' })
    blog?.gauge({ name: 'depth', help: 'Depth.', labels: [] }).set({}, 7)
    shop?.gauge({ name: 'depth', help: 'Depth.', labels: [] }).set({}, 1)
    shop?.gauge({ name: 'depth', help: 'Depth.', labels: [] }).remove({})
    const text = await registry.metrics()
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'visitors 3',
      'turns_total{outcome="settled",operator="shop"} 2',
      'turns_total{outcome="settled",operator="blog"} 1',
      'depth{operator="blog"} 7',
    ])
    expect(() => shop?.gauge({ ...turns, name: 'visitors' })).not.toThrow()
    expect(() => shop?.counter({ ...turns, name: 'visitors' })).toThrow('made alike everywhere')
  })

  it('removes only the given series', async () => {
    const metrics = new PrometheusMetrics()
    const gauge = metrics.gauge({ name: 'resource_condition', help: 'Conditions.', labels: ['name'] })
    gauge.set({ name: 'a' }, 1)
    gauge.set({ name: 'b' }, 1)
    gauge.remove({ name: 'a' })
    const text = await metrics.text()
    expect(text).not.toContain('name="a"')
    expect(text).toContain('name="b"')
  })

  it('rejects a name with another kind or other labels, and undeclared labels', () => {
    const metrics = new PrometheusMetrics()
    const counter = metrics.counter(turns)
    expect(() => metrics.gauge(turns)).toThrow('made alike everywhere')
    expect(() => metrics.counter({ ...turns, labels: ['reason'] })).toThrow('made alike everywhere')
    expect(() => counter.add({ other: 'x' })).toThrow()
  })

  it('exposes process metrics only on request', async () => {
    expect(await new PrometheusMetrics().text()).not.toContain('process_cpu')
    expect(await new PrometheusMetrics({ processMetrics: true }).text()).toContain('process_cpu')
  })
})
