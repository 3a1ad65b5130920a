// Which manifests do the samples beside this file give? The app of cdk8s.yaml: `cdk8s synth` prints, without a cluster, what
// the operator would apply for each of them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, Chart } from 'cdk8s'
import { parse } from 'yaml'
import { KvCluster, kvClusterProps } from '../constructs/index.ts'
import type { ReplicatedKVStoreSpecInput } from '../imports/wire/replicated-kv-store.ts'

interface Sample {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: unknown
}

/** How a sample of each kind is rendered. */
const render: Readonly<Record<string, (chart: Chart, sample: Sample) => void>> = {
  ReplicatedKVStore: (chart, { metadata, spec }) => {
    // The samples are checked against the CRD by the tests.
    new KvCluster(chart, 'store', kvClusterProps(metadata.name, spec as ReplicatedKVStoreSpecInput))
  },
}

// Named from the checkout's root, where cdk8s.yaml lies and cdk8s runs its app; so it works from dist/ too.
const folder = 'examples'
const app = new App()
for (const fileName of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  // Our own files; the tests check them against the CRD.
  const sample = parse(readFileSync(join(folder, fileName), 'utf8')) as Sample
  const renderKind = render[sample.kind]
  if (renderKind === undefined)
    throw new Error(`render ${fileName}: no construct for kind ${sample.kind}; add it to the table`)
  renderKind(new Chart(app, fileName.replace(/\.yaml$/, ''), { namespace: sample.metadata.namespace }), sample)
}
app.synth()
