// Which manifests do the samples beside this file give? The app of cdk8s.yaml: `cdk8s synth` prints, without a cluster, what
// the operator would apply for each of them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, Chart } from 'cdk8s'
import { parse } from 'yaml'
import { DatabaseServer, databaseServerProps, KvCluster, kvClusterProps } from '../constructs/index.ts'
import type { DatabaseSpecInput } from '../imports/wire/database.ts'
import type { ReplicatedKVStoreSpecInput } from '../imports/wire/replicated-kv-store.ts'

interface Sample {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: unknown
}

/** How a sample of each kind is rendered. The samples are checked against the CRDs by the tests. */
const render: Readonly<Record<string, (chart: Chart, sample: Sample) => void>> = {
  ReplicatedKVStore: (chart, { metadata, spec }) => {
    new KvCluster(chart, 'store', kvClusterProps(metadata.name, spec as ReplicatedKVStoreSpecInput))
  },
  Database: (chart, { metadata, spec: given }) => {
    const spec = given as DatabaseSpecInput
    // What it begins with is in a store, and its server is made after that.
    if (spec.provider.inCluster === undefined || spec.bootstrap !== undefined) return
    // Constructs make no secrets: who renders brings his own, and the operator keeps those that it has made.
    const tls = { certificate: 'a certificate in PEM', privateKey: 'its key in PEM' }
    const facts = { namespace: metadata.namespace, adminPassword: 'a password', tls }
    new DatabaseServer(chart, 'server', databaseServerProps(metadata.name, spec, facts))
  },
  // Its roles are in a database, and its Secret is made there.
  DatabaseUser: () => {},
  // What it changes is in a database.
  Migration: () => {},
  // What it saves is in a database, and where it is saved in a store.
  Backup: () => {},
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
  const chart = new Chart(app, fileName.replace(/\.yaml$/, ''), { namespace: sample.metadata.namespace })
  renderKind(chart, sample)
  // Not everything that a resource stands for is in a cluster.
  if (chart.node.children.length === 0) app.node.tryRemoveChild(chart.node.id)
}
app.synth()
