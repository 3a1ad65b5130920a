// Reference of the metrics of an operator.
import { code, head, plain, table } from './markdown.ts'
import { type MetricDeclaration, metricDeclarations } from './metric-declarations.ts'

/** Titles by the folder of src/ that declares the metrics, in the order of the page. */
const titles: Readonly<Record<string, string>> = {
  reconcile: 'Reconciles and resources',
  queue: 'Queue',
  cache: 'Watches and caches',
  kube: 'Requests to the API server',
  external: 'External endpoints',
  operator: 'Leadership, shards and runnables',
  telemetry: 'Events',
}

const intro = `Every operator built on konverge exposes these metrics.
[Installing](../installing.md#metrics) explains the readers of \`/metrics\`, and [Alerts](../alerts.md) has alerts.

- Every series has the label \`operator\` with the name of the operator.
  In a named shard, every series also has the label \`shard\`.
- A histogram has the series \`<name>_bucket\`, \`<name>_sum\` and \`<name>_count\`.
- Metrics of shards, runnables, clusters and external endpoints exist only in an operator that uses them.
- An operator without a registry of its own also exposes \`process_…\` and \`nodejs_…\`:
  the default metrics of prom-client.`

/** Returns the page as Markdown. */
export function metricsPage(declarations: readonly MetricDeclaration[] = metricDeclarations()): string {
  const untitled = declarations.find(({ module }) => titles[module] === undefined)
  if (untitled !== undefined) throw new Error(`give the metrics of src/${untitled.module}/ a title in metrics-page.ts`)
  const sections = Object.entries(titles).map(([module, title]) => {
    const rows = declarations.filter((metric) => metric.module === module).map(rowOf)
    return `## ${title}\n\n${table(['Metric', 'Type', 'Labels', 'Description'], rows)}`
  })
  return [head('Metrics', 'the metrics that src/ declares'), intro, ...sections].join('\n\n').concat('\n')
}

function rowOf({ name, type, help, labels, buckets }: MetricDeclaration): readonly string[] {
  const bounds = buckets.length === 0 ? '' : `<br>Buckets: ${buckets.join(', ')}.`
  return [code(name), type, labels.map(code).join(', '), `${plain(help)}${bounds}`]
}
