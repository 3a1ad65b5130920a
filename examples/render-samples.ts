// Renders the samples beside this file to manifests. It is the app of cdk8s.yaml: `cdk8s synth` prints, without a
// cluster, the objects that the operator would apply for each of them.
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

/** Renderer for a sample of each kind. The tests check the samples against the CRDs. */
const render: Readonly<Record<string, (chart: Chart, sample: Sample) => void>> = {
  ReplicatedKVStore: (chart, { metadata, spec }) => {
    new KvCluster(chart, 'store', kvClusterProps(metadata.name, spec as ReplicatedKVStoreSpecInput))
  },
  Database: (chart, { metadata, spec: given }) => {
    const spec = given as DatabaseSpecInput
    // The operator creates this server after it has read the bootstrap source.
    if (spec.provider.inCluster === undefined || spec.bootstrap !== undefined) return
    // Constructs create no secrets: a caller passes its own, and the operator keeps those that it created.
    const tls = { certificate: 'a certificate in PEM', privateKey: 'its key in PEM' }
    const facts = { namespace: metadata.namespace, adminPassword: 'a password', tls }
    new DatabaseServer(chart, 'server', databaseServerProps(metadata.name, spec, facts))
  },
  // The operator creates its roles in a database, and its Secret at run time.
  DatabaseUser: () => {},
  // It changes a database only.
  Migration: () => {},
  // It reads a database, and writes to a store.
  Backup: () => {},
}

// Relative to the checkout's root, where cdk8s.yaml is and cdk8s runs its app; so it works from dist/ too.
const folder = 'examples'
const app = new App()
for (const fileName of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  // Files of this repository; the tests check them against the CRD.
  const sample = parse(readFileSync(join(folder, fileName), 'utf8')) as Sample
  const renderKind = render[sample.kind]
  if (renderKind === undefined)
    throw new Error(`render ${fileName}: no construct for kind ${sample.kind}; add it to the table`)
  const chart = new Chart(app, fileName.replace(/\.yaml$/, ''), { namespace: sample.metadata.namespace })
  renderKind(chart, sample)
  // Some resources have no objects in a cluster.
  if (chart.node.children.length === 0) app.node.tryRemoveChild(chart.node.id)
}
app.synth()
