// Test cluster in the test's own process: an API server with built-in kinds, admission, access control and controllers,
// on a simulated clock. Invariant: it opens no sockets, writes no files, and never waits for real time.

import { serviceAccountUser } from '../apiserver/access/service-account-token.ts'
import type { ApiServer } from '../apiserver/api-server.ts'
import { Cluster } from '../apiserver/cluster.ts'
import type { Answering } from '../apiserver/exchange.ts'
import { FaultyServer } from '../apiserver/faults/faulty-server.ts'
import { handleFetch } from '../apiserver/fetch-handler.ts'
import type { User } from '../apiserver/user.ts'
import { assert } from '../base/assert.ts'
import { type Instruments, silentInstruments } from '../base/instrument.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { seededRandom, seededSecrets } from '../base/random.ts'
import { parseExactly, wireJson } from '../base/wire-json.ts'
import type { KubeClient } from '../kube/client.ts'
import { Fence } from '../kube/fence.ts'
import { FencedClient } from '../kube/fenced-client.ts'
import { FetchClient } from '../kube/fetch-client.ts'
import { KubeError } from '../kube/kube-errors.ts'
import { RestClient } from '../kube/rest-client.ts'
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Namespace,
  Role,
  RoleBinding,
} from '../object/built-in.ts'
import { type Condition, findCondition } from '../object/condition.ts'
import { identityOf } from '../object/identity.ts'
import type { KubeObject, LiveObject, StatusWithConditions } from '../object/object.ts'
import { isOf, type Resource } from '../object/resource.ts'
import { defaultTiming } from '../operator/election.ts'
import { LeaseLostError } from '../operator/elector.ts'
import { Operator, type OperatorOptions } from '../operator/operator.ts'
import { ShardRunner } from '../operator/shard-runner.ts'
import type { Controller } from '../reconcile/definition.ts'
import { Shard } from '../reconcile/shard.ts'
import { HealthRegistry } from '../telemetry/health.ts'
import { grantsOf, type RightsByPlace } from './grants.ts'
import { type RequestRecord, RequestRecorder } from './request-recorder.ts'
import { SimClock } from './sim-clock.ts'
import type { TestOperator, TestOperatorOptions } from './test-operator.ts'

/** Options of `startCluster`. */
export interface TestClusterOptions {
  /** CustomResourceDefinitions to install, as in their manifests. */
  readonly definitions?: readonly object[]
  /** Seed of all random values: the same seed gives the same uids, names and faults. Default 1. */
  readonly seed?: number
  /** Number of nodes whose pods are Running without a process. Default 0: pods stay pending. */
  readonly simulatedNodes?: number
  /**
   * The control plane's own controllers to run: `['garbage-collector', 'namespace']`, `['*', '-job']`, `[]`. Default:
   * all. Admission adapts: without `serviceaccount`, pods need no service account.
   */
  readonly controllers?: readonly string[]
  /** User name of the operators, with the rights of RBAC objects. Default: an administrator. */
  readonly user?: string
  /**
   * All rights of the operators: RBAC rules for the whole cluster, or those of `rightsOf` by scope, as `install`
   * grants.
   */
  readonly rights?: readonly object[] | RightsByPlace
  /** Namespaces that the operators serve; missing ones are created. Default: all, and none is created. */
  readonly namespaces?: readonly string[]
  /** Receives the logs, metrics and spans of the controllers. Default: discards them. */
  readonly instruments?: Instruments
  /** Clock of another test cluster, to share the time. Default: that of the first of `clusters`, or a new one. */
  readonly clock?: SimClock
  /**
   * Other clusters by the names in `childrenIn`. Give each its own `seed`, because uids distinguish clusters.
   *
   * @example const home = await startCluster({ seed: 2, clusters: { edge }, definitions: [websiteDefinition] })
   */
  readonly clusters?: Readonly<Record<string, TestCluster>>
}

/** A whole object without its type, which the resource defines. */
export type ObjectBody = Pick<KubeObject, 'metadata'> & { readonly [field: string]: unknown }

/** One operator of the cluster. */
interface Running {
  readonly stop: AbortController
  /** Never an unhandled rejection: a test may ignore it. */
  readonly ended: Promise<void>
  /** True once the test has read `done`. */
  isObserved: boolean
}

const adminToken = 'admin'
const operatorToken = 'operator'
const operatorName = 'operator'
const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
/** Longest virtual time in which a cluster must settle. */
const settleLimitMs = 600_000
const stepMs = 1_000

/**
 * Starts a cluster. Resolves when it is ready, in a few milliseconds.
 *
 * @example
 * const cluster = await startCluster({ definitions: [websiteDefinition] })
 * cluster.run(website)
 * await cluster.create(Website, { metadata: { name: 'shop', namespace: 'default' }, spec: { image: 'registry.example/shop:1', replicas: 1 } })
 * await cluster.settle()
 * expect(await cluster.find(Deployment, 'default/shop')).toMatchObject({ spec: { replicas: 1 } })
 * await cluster.stop()
 */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = new TestCluster(options)
  for (const definition of options.definitions ?? [])
    await cluster.create(CustomResourceDefinition, definition as ObjectBody) // A manifest.
  for (const name of options.namespaces ?? [])
    if ((await cluster.find(Namespace, name)) === undefined) await cluster.create(Namespace, { metadata: { name } })
  for (const { rules, namespace } of grantsOf(options))
    await cluster.grant(options.user ?? operatorName, rules, namespace)
  await cluster.clock.advance(1)
  return cluster
}

/** A cluster in the test's own process. Create one with `startCluster`. */
export class TestCluster implements AsyncDisposable {
  /** Moves only by `settle`, `advance`, or its own methods. */
  readonly clock: SimClock
  /** Client of the test itself: an administrator whose requests meet no faults. */
  readonly client: KubeClient
  /** Faults to inject; none at first. */
  readonly faults: FaultyServer
  readonly #cluster: Cluster
  /** Requests of every client except the test's own, recorded before faults apply. */
  readonly #requests: RequestRecorder
  readonly #seed: number
  readonly #namespaces: readonly string[] | undefined
  readonly #instruments: Instruments
  readonly #running: Running[] = []
  readonly #signal = new AbortController()
  readonly #others: Readonly<Record<string, TestCluster>>

  constructor(options: TestClusterOptions) {
    const { seed = 1, instruments = silentInstruments, simulatedNodes = 0, rights, controllers = ['*'] } = options
    const others = options.clusters ?? {}
    this.clock = options.clock ?? Object.values(others)[0]?.clock ?? new SimClock()
    assert(
      Object.values(others).every((other) => other.clock === this.clock),
      'clusters of one test share a clock; start each with the clock of the first',
    )
    this.#others = others
    this.#seed = seed
    this.#namespaces = options.namespaces
    this.#instruments = instruments
    const user = options.user ?? (rights === undefined ? undefined : operatorName)
    const operator = user === undefined ? admin : userNamed(user)
    const tokens = new Map([
      [adminToken, admin],
      [operatorToken, operator],
    ])
    const { clock } = this
    this.#cluster = new Cluster({ clock, random: seededRandom(seed), tokens, simulatedNodes, controllers })
    this.faults = new FaultyServer({ server: this.#cluster.server, clock: this.clock, random: seededRandom(seed + 1) })
    this.#requests = new RequestRecorder(this.faults)
    this.client = this.#clientOver(this.#cluster.server, 'test', adminToken)
  }

  /** The API server itself: its log of writes, its watches. */
  get server(): ApiServer {
    return this.#cluster.server
  }

  /** Returns a client with this user agent, which fault rules and managedFields show. Its requests meet the faults. */
  clientOf(userAgent: string): KubeClient {
    return this.#clientOver(this.#requests, userAgent, adminToken)
  }

  /** Grants RBAC rules to a user, in the whole cluster or in one namespace. */
  async grant(user: string, rules: readonly object[], namespace?: string): Promise<void> {
    const metadata = { name: `granted-${user}`, ...(namespace === undefined ? {} : { namespace }) }
    const [role, binding] = namespace === undefined ? [ClusterRole, ClusterRoleBinding] : [Role, RoleBinding]
    await this.create(role, { metadata, rules })
    const roleRef = { apiGroup: role.group, kind: role.kind, name: metadata.name }
    const subjects = [{ apiGroup: role.group, kind: 'User', name: user }]
    await this.create(binding, { metadata, roleRef, subjects })
  }

  /**
   * Returns all requests so far, oldest first, including rejected ones and excluding those of the test's own client.
   */
  requests(): readonly RequestRecord[] {
    return this.#requests.records
  }

  /**
   * Advances the time, and returns the requests made meanwhile. Idle controllers only reopen watches.
   *
   * @example expect(await cluster.requestsDuring(60_000)).toEqual([])
   */
  async requestsDuring(ms: number): Promise<readonly RequestRecord[]> {
    const before = this.#requests.records.length
    await this.clock.advance(ms)
    return this.#requests.records.slice(before)
  }

  /** Runs controllers as one operator, called `operator`, until `stop` or the end of the cluster. */
  run(...controllers: readonly Controller[]): TestOperator {
    return this.start({ controllers })
  }

  /** Like `run`, as the operator of this name: for tests of several operators in one cluster. */
  runAs(name: string, ...controllers: readonly Controller[]): TestOperator {
    return this.start({ name, controllers })
  }

  /** Starts an operator with controllers and runnables, without leader election. */
  start({ name = operatorName, controllers = [], runnables = [] }: TestOperatorOptions): TestOperator {
    const clusters = Object.fromEntries(
      Object.entries(this.#others).map(([at, other]) => [at, other.#operatorClient()]),
    )
    return this.#start({ name, client: this.#operatorClient(), clusters, controllers, runnables })
  }

  /**
   * Runs controllers as one more member of the operator called `operator`, whose members share the resources by a hash.
   * `member` is the user agent of its requests. Members renew their Leases in the namespace `default`, so the cluster
   * never settles: use `advance`.
   */
  runMember(member: string, ...controllers: readonly Controller[]): TestOperator {
    const { clock } = this
    const unfenced = this.#clientOver(this.#requests, member, operatorToken)
    const fence = new Fence(clock)
    const shards = new ShardRunner({
      operatorName,
      clock,
      random: seededRandom(this.#seed + 4),
      instruments: this.#instruments,
      client: unfenced,
      fieldManager: identityOf(operatorName).leaseManager,
      identity: member,
      namespace: 'default',
      timing: defaultTiming,
      fence,
      shard: new Shard(),
    })
    const client = new FencedClient({ client: unfenced, fence })
    return this.#start({ name: operatorName, client, controllers, fence, shards })
  }

  #start(
    parts: Pick<OperatorOptions, 'name' | 'client' | 'clusters' | 'controllers' | 'runnables' | 'fence' | 'shards'>,
  ): TestOperator {
    const stop = new AbortController()
    const operator = new Operator({
      ...parts,
      namespaces: this.#namespaces,
      clock: this.clock,
      random: seededRandom(this.#seed + 2),
      secrets: seededSecrets(this.#seed + 3),
      instruments: this.#instruments,
      health: new HealthRegistry(),
    })
    const ended = operator.run(stop.signal).catch((thrown: unknown) => {
      if (!stop.signal.aborted) throw thrown
    })
    ended.catch(() => {})
    const running: Running = { stop, ended, isObserved: false }
    this.#running.push(running)
    return {
      get done() {
        running.isObserved = true
        return ended
      },
      stop: () => this.#end(running),
      enqueue: (of, resource) => operator.enqueue(of, resource),
      client: operator.client,
      namespaces: this.#namespaces,
    }
  }

  /** Creates an object, by default in the namespace `default`. Rejects with a KubeError if the API server does. */
  async create(resource: Resource, object: ObjectBody): Promise<LiveObject> {
    const { group, version, kind } = resource
    const metadata = resource.scope === 'Cluster' ? object.metadata : { namespace: 'default', ...object.metadata }
    const apiVersion = group === '' ? version : `${group}/${version}`
    const whole = { ...object, metadata, apiVersion, kind } as KubeObject // With its type, it is one.
    assert(isOf(resource, whole), 'an object is created as what it is')
    const created = await this.client.create(resource, whole, { fieldManager: 'test' }, this.#signal.signal)
    // Its service account exists when this resolves, so pods can be created in it.
    if (group === '' && kind === 'Namespace') await this.clock.advance(0)
    return created
  }

  /** Applies a merge patch to an object, as `{ spec: { replicas: 2 } }`. */
  patch(resource: Resource, key: string, body: object): Promise<LiveObject> {
    // JSON, as a client sends it.
    const patch = { type: 'merge', body: parseExactly(wireJson(body as Json)) as JsonObject } as const
    return this.client.patch(resource, locationOf(resource, key), patch, { fieldManager: 'test' }, this.#signal.signal)
  }

  async delete(resource: Resource, key: string): Promise<void> {
    const found = await this.find(resource, key)
    if (found === undefined) return
    const { uid } = found.metadata
    await this.client.delete(resource, locationOf(resource, key), { preconditions: { uid } }, this.#signal.signal)
  }

  /** Returns the current object, by `namespace/name` or `name`; undefined if it does not exist. */
  async find(resource: Resource, key: string): Promise<LiveObject | undefined> {
    try {
      return await this.client.get(resource, locationOf(resource, key), this.#signal.signal)
    } catch (thrown) {
      if (thrown instanceof KubeError && thrown.code === 'NotFound') return undefined
      throw thrown
    }
  }

  async list(resource: Resource, namespace?: string): Promise<readonly LiveObject[]> {
    const page = await this.client.list(resource, namespace === undefined ? {} : { namespace }, this.#signal.signal)
    return page.items
  }

  /** Returns one condition of an object's status; undefined if the type is absent. */
  async condition(resource: Resource, key: string, type: string): Promise<Condition | undefined> {
    const found = await this.find(resource, key)
    const status = found?.status as StatusWithConditions | undefined // The form of the status of every kind.
    return findCondition(status?.conditions, type)
  }

  /** Advances the time, with all work that it causes. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /**
   * Advances the time until nothing was written for `quietMs`, by default one minute. That covers the first three
   * retries of a failure; later ones are up to five minutes apart. Throws after ten minutes of virtual time, because
   * then something writes without end.
   */
  async settle(quietMs = 60_000): Promise<void> {
    const revisionOf = () =>
      [this, ...Object.values(this.#others)].reduce((sum, { server }) => sum + server.log.revision, 0)
    let [revision, quiet] = [revisionOf(), 0]
    for (let passed = 0; quiet < quietMs; passed += stepMs) {
      assert(passed < settleLimitMs, 'the cluster comes to rest within ten minutes')
      await this.clock.advance(stepMs)
      quiet = revisionOf() === revision ? quiet + stepMs : 0
      revision = revisionOf()
    }
  }

  /**
   * Stops every operator and the cluster. Rejects with the error of an operator that ended by itself, unless the test
   * reads its `done`, or the operator lost its lease.
   */
  async stop(): Promise<void> {
    const errors: unknown[] = []
    for (const running of [...this.#running]) {
      await this.#end(running).catch((thrown: unknown) => {
        if (!running.isObserved && !(thrown instanceof LeaseLostError)) errors.push(thrown)
      })
    }
    this.#cluster.stop()
    if (errors.length > 0) throw errors[0]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #operatorClient(): KubeClient {
    return this.#clientOver(this.#requests, 'operator', operatorToken)
  }

  #clientOver(server: Answering, userAgent: string, token: string): KubeClient {
    const fetch = (request: Request) => handleFetch(server, request)
    return new RestClient({ http: new FetchClient({ fetch, token, userAgent }) })
  }

  async #end(running: Running): Promise<void> {
    const index = this.#running.indexOf(running)
    if (index >= 0) this.#running.splice(index, 1)
    running.stop.abort(new DOMException('the test stops the operator', 'AbortError'))
    await this.clock.advance(15_000)
    await running.ended
  }
}

function locationOf(resource: Resource, key: string): { namespace?: string; name: string } {
  const [first = '', second] = key.split('/')
  if (resource.scope === 'Cluster') return { name: first }
  return second === undefined ? { namespace: 'default', name: first } : { namespace: first, name: second }
}

function userNamed(name: string): User {
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  return namespace === undefined || account === undefined
    ? { name, groups: ['system:authenticated'] }
    : serviceAccountUser(namespace, account, '')
}
