// A story's server that is the one in this process: the test kit's cluster, with nodes whose pods only seem to run. A wait costs no
// time: the cluster's clock moves on.
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { silentInstruments } from '../../src/base/instrument.ts'
import { storageClasses } from '../../src/cli/dev/sample-stores.ts'
import { flagshipControllers } from '../../src/cli/flagship.ts'
import { replicatedKvStore } from '../../src/controllers/replicated-kv-store/replicated-kv-store.ts'
import {
  defineResource,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  type Resource,
  Service,
  ServiceAccount,
  StatefulSet,
} from '../../src/index.ts'
import { PersistentVolume, StorageClass } from '../../src/object/built-in.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { metricIn } from './operator-process.ts'
import { manifestsIn } from './rights.ts'
import { isWrite } from './stores.ts'
import type { Awaited, OperatorWrite, Place, StoryOperator, StoryServer } from './story-server.ts'

const file = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const signal = new AbortController().signal
const rbac = (kind: string, scope: Resource['scope']) =>
  defineResource({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope,
  })
const kinds: readonly Resource[] = [
  ...[Namespace, Service, ServiceAccount, StatefulSet, StorageClass, Pod, replicatedKvStore.resource],
  ...[PersistentVolume, PersistentVolumeClaim, PodDisruptionBudget],
  ...[rbac('Role', 'Namespaced'), rbac('RoleBinding', 'Namespaced')],
  ...[rbac('ClusterRole', 'Cluster'), rbac('ClusterRoleBinding', 'Cluster')],
  // The old form, with the message and the involved object.
  defineResource({ group: '', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' }),
]
const shortNames: Readonly<Record<string, string>> = {
  kv: 'replicatedkvstores',
  pdb: 'poddisruptionbudgets',
  pvc: 'persistentvolumeclaims',
}

export class EmbeddedStoryServer implements StoryServer {
  readonly #cluster: TestCluster
  readonly #metrics: PrometheusMetrics

  private constructor(cluster: TestCluster, metrics: PrometheusMetrics) {
    this.#cluster = cluster
    this.#metrics = metrics
  }

  static async start(): Promise<EmbeddedStoryServer> {
    const metrics = new PrometheusMetrics()
    const cluster = await startCluster({
      definitions: [parse(await file('crds/replicated-kv-store.yaml'))],
      simulatedNodes: 3,
      user: 'system:serviceaccount:konverge-system:konverge',
      instruments: { ...silentInstruments, metrics },
    })
    const server = new EmbeddedStoryServer(cluster, metrics)
    const account = manifestsIn(await file('test/golden/install.yaml')).filter(({ kind }) => accountKinds.test(kind))
    // The class `standard` is there.
    await server.apply(...storageClasses.filter(({ metadata }) => metadata.name === 'fast'), ...account)
    return server
  }

  async apply(...objects: readonly object[]): Promise<void> {
    for (const object of objects as readonly KubeObject[]) // Each has its type.
      await this.#cluster.client.apply(kindOf(object.kind), object, { fieldManager: 'kubectl', force: false }, signal)
  }

  async patch(place: Place, patch: object, subresource?: 'status'): Promise<void> {
    const body = JSON.parse(JSON.stringify(patch))
    const options = { fieldManager: 'kubectl-patch', ...(subresource === undefined ? {} : { subresource }) }
    await this.#cluster.client.patch(kindOf(place.kind), locationOf(place), { type: 'merge', body }, options, signal)
  }

  async delete(place: Place, { waits } = { waits: true }): Promise<void> {
    const found = await this.#cluster.find(kindOf(place.kind), keyOf(place))
    if (found === undefined) throw new Error(`there is no ${place.kind} ${place.name}`)
    await this.#cluster.delete(kindOf(place.kind), keyOf(place))
    if (!waits) return
    const isGone = async () =>
      (await this.#cluster.find(kindOf(place.kind), keyOf(place)))?.metadata.uid !== found.metadata.uid
    await this.until({ what: `${place.kind} ${place.name} to be gone`, limitMs: 600_000 }, isGone)
  }

  get(place: Place): Promise<unknown> {
    return this.#cluster.find(kindOf(place.kind), keyOf(place))
  }

  list(kind: string, namespace: string): Promise<readonly unknown[]> {
    return this.#cluster.list(kindOf(kind), namespace)
  }

  async until({ what, limitMs, everyMs = 50 }: Awaited, isSo: () => Promise<boolean>): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += everyMs) {
      if (passedMs > limitMs) throw new Error(`Waited ${limitMs / 1000} s for ${what}.`)
      await this.#cluster.advance(everyMs)
    }
  }

  pass(ms: number): Promise<void> {
    return this.#cluster.advance(ms)
  }

  async startOperator(): Promise<StoryOperator> {
    const { stop } = this.#cluster.run(...flagshipControllers)
    await this.#cluster.advance(100)
    return { stop, metric: async (name, labels = '') => metricIn(await this.#metrics.text(), name, labels) }
  }

  async operatorWrites(wanted: string): Promise<readonly OperatorWrite[]> {
    return this.#cluster
      .requests()
      .filter((request) => request.namespace === wanted && isWrite(request))
      .map(({ verb, namespace, resource, subresource, name }) => ({ verb, namespace, resource, subresource, name }))
  }

  async refusals(): Promise<readonly string[]> {
    return this.#cluster
      .requests()
      .filter(({ code }) => code === 403)
      .map(({ verb, path }) => `${verb} ${path}`)
  }

  stop(): Promise<void> {
    return this.#cluster.stop()
  }
}

const accountKinds = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/

/** By its kind, plural, singular or short name. */
function kindOf(name: string): Resource {
  const wanted = (shortNames[name] ?? name).toLowerCase()
  const found = kinds.find(({ kind, plural }) => plural === wanted || kind.toLowerCase() === wanted)
  if (found === undefined) throw new Error(`no story has met the kind ${name} so far: add it here`)
  return found
}

function locationOf({ namespace, kind, name }: Place) {
  return kindOf(kind).scope === 'Cluster' ? { name } : { namespace, name }
}

function keyOf({ namespace, kind, name }: Place): string {
  return kindOf(kind).scope === 'Cluster' ? name : `${namespace}/${name}`
}
