// Alert rules of the operator: they use exposed series, name a remedy, and each one has a test case.
// operator.oracle.test.ts asks Prometheus's own tool.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { MetricOptions, Metrics } from '../../src/base/instrument.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { EndpointClient } from '../../src/external/endpoint-client.ts'
import { Place } from '../../src/external/place.ts'
import { HttpClient } from '../../src/kube/http-client.ts'
import { QueueMetrics } from '../../src/queue/queue-metrics.ts'
import { ReconcileMetrics } from '../../src/reconcile/reconcile-metrics.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { connectionTo } from '../kube/scripted-server.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
  }[]
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { groups }: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  read('alerts/operator.yaml'),
)
const rules = groups.flatMap((group) => group.rules)
const cases = (parse(read('test/alerts/operator.yaml')) as RuleTests).tests.flatMap((test) => test.alert_rule_test)

/** Returns the series of the operator's parts that the rules use, by their names in Prometheus. */
function exposedSeries(): ReadonlyMap<string, readonly string[]> {
  const series = new Map<string, readonly string[]>()
  const silent = silentInstruments.metrics
  const note = ({ name, labels }: MetricOptions, suffix = '') => void series.set(`${name}${suffix}`, labels)
  const metrics: Metrics = {
    counter: (options) => {
      note(options)
      return silent.counter(options)
    },
    gauge: (options) => {
      note(options)
      return silent.gauge(options)
    },
    histogram: (options) => {
      note(options, '_count')
      note({ ...options, labels: [...options.labels, 'le'] }, '_bucket')
      return silent.histogram(options)
    },
  }
  const instruments = { ...silentInstruments, metrics }
  new ReconcileMetrics(metrics, 'any')
  new QueueMetrics(metrics, 'any')
  const clock = new SimClock()
  new HttpClient({ connection: connectionTo('http://any'), clock, instruments, userAgent: 'any' })
  const limit = { perSecond: 1, burst: 1 }
  const place = new Place({ name: 'any', metrics, limit })
  new EndpointClient({ place, namespace: 'any', clock, random: seededRandom(1), instruments, share: limit })
  return series
}

/** Labels that the scraper adds to every series. */
const targetLabels = ['job']
const series = exposedSeries()

/** Returns the series of an expression, and the labels that it names. */
function askedBy(expr: string) {
  const made = [...expr.matchAll(/label_replace\([^"]*"(\w+)"/g)].map(([, label = '']) => label)
  const bare = expr.replaceAll(/"[^"]*"/g, '""')
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  const selectors = [...bare.replaceAll(/\bby \([^)]*\)/g, '').matchAll(/\b([a-z]\w*_\w+)\b(?!\()(?:\{([^}]*)\})?/g)]
  return {
    grouped,
    made,
    selected: selectors.map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
    })),
  }
}

describe.each(rules)('$alert', ({ alert, expr, labels, annotations }) => {
  const { grouped, made, selected } = askedBy(expr)

  it('uses series and labels that the operator exposes', () => {
    expect(selected.length).toBeGreaterThan(0)
    for (const { name, labels: wanted } of selected) {
      expect(series.has(name), name).toBe(true)
      expect(wanted.filter((label) => series.get(name)?.includes(label) !== true)).toEqual([])
    }
    const known = [...targetLabels, ...made, ...selected.flatMap(({ name }) => series.get(name) ?? [])]
    expect(grouped.filter((label) => !known.includes(label))).toEqual([])
  })

  it('has a severity, a summary, a description and an action, with labels of its expression only', () => {
    expect(labels['severity']).toMatch(/^(critical|warning)$/)
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'action', 'runbook'])
    const told = [
      ...Object.values(annotations)
        .join()
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label = '']) => label)
    expect(told.filter((label) => !grouped.includes(label))).toEqual([])
    const { selected: asked } = askedBy(annotations['action'] ?? '')
    expect(asked.filter(({ name }) => !series.has(name))).toEqual([])
  })

  it('has a chapter in the documentation', () => {
    const [path = '', anchor] = annotations['runbook']?.split('#') ?? []
    expect(anchor).toBe(alert.toLowerCase())
    expect(read(path)).toContain(`\n## ${alert}\n`)
  })

  it('has a test case in which it fires and one in which it does not', () => {
    const tried = cases.filter(({ alertname }) => alertname === alert)
    expect(new Set(tried.map(({ exp_alerts: expected }) => expected.length > 0))).toEqual(new Set([true, false]))
  })
})

it('has no test case for an unknown alert', () => {
  const known = rules.map(({ alert }) => alert)
  expect(cases.filter(({ alertname }) => !known.includes(alertname))).toEqual([])
})
