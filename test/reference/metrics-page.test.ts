import { Registry } from 'prom-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { website } from '../../examples/01-minimal/website.ts'
import { startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { startOperator } from '../../src/index.ts'
import { declarationsIn, metricDeclarations } from './metric-declarations.ts'
import { metricsPage } from './metrics-page.ts'

const page = metricsPage()
const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \|(.*?)\| (.*) \|$/gm)].map(
  ([, name = '', type, labels = '', help = '']) => ({ name, type, labels, help: help.replace(/<br>.*/, '') }),
)

describe('reference of metrics', () => {
  it('has a row for each metric', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(metricDeclarations().map(({ name }) => name))
    expect(rows.length).toBeGreaterThan(25)
  })

  it('has the metrics of a running operator, with type, help and labels', async () => {
    const registry = new Registry()
    const cluster = await startEmbeddedServer({ host: '127.0.0.1', port: 0, controllers: [], onFault: () => {} })
    onTestFinished(() => cluster.stop())
    const operator = await startOperator({
      name: 'sites',
      userAgent: 'sites/1',
      controllers: [website],
      environment: {},
      kubeconfig: cluster.kubeconfigPath,
      output: { write: () => {} },
      http: 'off',
      registry,
      leaderElection: { enabled: true, leaseNamespace: 'default' },
    })
    onTestFinished(() => operator.stop())
    const text = await registry.metrics()
    const exposed = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)]
    expect(exposed.length).toBeGreaterThan(18)
    for (const [, name = '', help, type] of exposed) {
      const row = rows.find((one) => one.name === name)
      expect(row, name).toMatchObject({ help: help?.replaceAll('<', '&lt;'), type })
      const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\}`, 'gm')
      const labels = [...text.matchAll(series)].flatMap(([, all = '']) =>
        [...all.matchAll(/(\w+)="/g)].map(([, label]) => label),
      )
      for (const label of new Set(labels))
        if (label !== 'operator' && label !== 'le') expect(row?.labels).toContain(`\`${label}\``)
    }
  })
})

describe('metrics in a source file', () => {
  it('are read with constants', () => {
    const text = `
      const labels = ['a', 'b']
      const bounds = [0.5, 1_000]
      const most = 8
      metrics.histogram({ name: 'x_seconds', help: \`At most \${most}.\`, labels, buckets: bounds })`
    expect(declarationsIn('queue/x.ts', text)).toEqual([
      {
        module: 'queue',
        name: 'x_seconds',
        type: 'histogram',
        help: 'At most 8.',
        labels: ['a', 'b'],
        buckets: [0.5, 1000],
      },
    ])
  })

  it('are an error if they cannot be read', () => {
    expect(() => declarationsIn('queue/x.ts', 'metrics.gauge(options)')).toThrow('write the options of the metric')
    expect(() => declarationsIn('queue/x.ts', "metrics.gauge({ name, help: 'x', labels: [] })")).toThrow('as literals')
  })
})
