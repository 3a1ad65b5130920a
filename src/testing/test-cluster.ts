// Where does a controller's own test find a cluster? In its own process: an API server with built-in kinds, admission, access
// control and controllers, on a clock that moves when the test says so. No sockets, no files, no waiting.

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

export interface TestClusterOptions {
  /** CustomResourceDefinitions to install, as their manifests have them. */
  readonly definitions?: readonly object[]
  /** What is drawn by chance is drawn from it: the same seed gives the same uids, names and faults. Default 1. */
  readonly seed?: number
  /** So many nodes are there from the beginning, whose pods only seem to run. Default 0: pods wait for a node. */
  readonly simulatedNodes?: number
  /**
   * Which of the control plane's own controllers run, by their names: `['garbage-collector', 'namespace']`, `['*', '-job']`, `[]`. Admission asks for
   * nothing that only one left out would give: without `serviceaccount` pods need no service account. Default: all.
   */
  readonly controllers?: readonly string[]
  /**
   * Who the controllers are to the API server: a user's name, as `system:serviceaccount:shop:operator`. They may then do what the RBAC
   * objects in the cluster grant, and no more. Default: an administrator.
   */
  readonly user?: string
  /**
   * What the operators may do, and no more: rules of RBAC, in the whole cluster; or all that `rightsOf` gives, as `install` grants it: the rules for namespaces in
   * `namespaces` alone.
   */
  readonly rights?: readonly object[] | RightsByPlace
  /** The namespaces that the operators serve. Those that do not exist are created. Default: all, and none is created. */
  readonly namespaces?: readonly string[]
  /** Where the logs, metrics and spans of the controllers go. Default: nowhere. */
  readonly instruments?: Instruments
  /** The clock of another test cluster, so that time is the same in both. Default: that of the first of `clusters`, else one of its own. */
  readonly clock?: SimClock
  /**
   * Other clusters by the names that `childrenIn` of controllers has. Give each cluster a `seed` of its own, because clusters are told apart by uids.
   *
   * @example const home = await startCluster({ seed: 2, clusters: { edge }, definitions: [websiteDefinition] })
   */
  readonly clusters?: Readonly<Record<string, TestCluster>>
}

/** A whole object but for its type, which the resource says. */
export type ObjectBody = Pick<KubeObject, 'metadata'> & { readonly [field: string]: unknown }

/** One operator of the cluster. */
interface Running {
  readonly stop: AbortController
  /** Never an unhandled rejection: a test may leave it alone. */
  readonly ended: Promise<void>
  /** True once the test has `done`. */
  isObserved: boolean
}

const adminToken = 'admin'
const operatorToken = 'operator'
const operatorName = 'operator'
const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
/** What a cluster that comes to rest needs at most, in virtual time. */
const settleLimitMs = 600_000
const stepMs = 1_000

/**
 * Starts a cluster; it is ready when this resolves, in a few milliseconds.
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

export class TestCluster implements AsyncDisposable {
  /** Moves only by `settle`, `advance`, or its own methods. */
  readonly clock: SimClock
  /** The test's own hand: the administrator's, and no fault meets it. */
  readonly client: KubeClient
  /** What goes wrong; none at first. */
  readonly faults: FaultyServer
  readonly #cluster: Cluster
  /** What every client but the test's own asks, before any fault meets it. */
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

  /** A client of the name's, as fault rules and managedFields know it. It meets the faults. */
  clientOf(userAgent: string): KubeClient {
    return this.#clientOver(this.#requests, userAgent, adminToken)
  }

  /** Lets a user do what rules of RBAC say, in the whole cluster or in one namespace. */
  async grant(user: string, rules: readonly object[], namespace?: string): Promise<void> {
    const metadata = { name: `granted-${user}`, ...(namespace === undefined ? {} : { namespace }) }
    const [role, binding] = namespace === undefined ? [ClusterRole, ClusterRoleBinding] : [Role, RoleBinding]
    await this.create(role, { metadata, rules })
    const roleRef = { apiGroup: role.group, kind: role.kind, name: metadata.name }
    const subjects = [{ apiGroup: role.group, kind: 'User', name: user }]
    await this.create(binding, { metadata, roleRef, subjects })
  }

  /** What has been asked of the API server so far, oldest first, refused requests included; not by the test's own hand. */
  requests(): readonly RequestRecord[] {
    return this.#requests.records
  }

  /**
   * Moves time on, and gives what was asked of the API server meanwhile: of controllers at rest, nothing but watches, each of which ends after some
   * minutes and is opened again.
   *
   * @example expect(await cluster.requestsDuring(60_000)).toEqual([])
   */
  async requestsDuring(ms: number): Promise<readonly RequestRecord[]> {
    const before = this.#requests.records.length
    await this.clock.advance(ms)
    return this.#requests.records.slice(before)
  }

  /** Runs controllers as one operator, called `operator`, until `stop` is called, or the cluster stops. */
  run(...controllers: readonly Controller[]): TestOperator {
    return this.start({ controllers })
  }

  /** As `run`, as the operator of this name: for tests of several operators in one cluster. */
  runAs(name: string, ...controllers: readonly Controller[]): TestOperator {
    return this.start({ name, controllers })
  }

  /** Starts an operator of controllers and runnables; it acts alone, without an election. */
  start({ name = operatorName, controllers = [], runnables = [] }: TestOperatorOptions): TestOperator {
    const clusters = Object.fromEntries(
      Object.entries(this.#others).map(([at, other]) => [at, other.#operatorClient()]),
    )
    return this.#start({ name, client: this.#operatorClient(), clusters, controllers, runnables })
  }

  /**
   * Runs controllers as one more member of the operator called `operator`, whose members divide the resources by a hash. `member` is the user agent of
   * its requests. Members renew their Leases in the namespace `default`, so that the cluster never settles: use `advance`.
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

  /** Creates an object of a kind, in the namespace `default` if it does not say where. Rejects with a KubeError if the API server refuses. */
  async create(resource: Resource, object: ObjectBody): Promise<LiveObject> {
    const { group, version, kind } = resource
    const metadata = resource.scope === 'Cluster' ? object.metadata : { namespace: 'default', ...object.metadata }
    const apiVersion = group === '' ? version : `${group}/${version}`
    const whole = { ...object, metadata, apiVersion, kind } as KubeObject // With its type, it is one.
    assert(isOf(resource, whole), 'an object is created as what it is')
    const created = await this.client.create(resource, whole, { fieldManager: 'test' }, this.#signal.signal)
    // Pods may be created in it at once: its service account is there.
    if (group === '' && kind === 'Namespace') await this.clock.advance(0)
    return created
  }

  /** Merges a patch into an object, as `{ spec: { replicas: 2 } }`. */
  patch(resource: Resource, key: string, body: object): Promise<LiveObject> {
    // As it is sent: JSON.
    const patch = { type: 'merge', body: parseExactly(wireJson(body as Json)) as JsonObject } as const
    return this.client.patch(resource, locationOf(resource, key), patch, { fieldManager: 'test' }, this.#signal.signal)
  }

  async delete(resource: Resource, key: string): Promise<void> {
    const found = await this.find(resource, key)
    if (found === undefined) return
    const { uid } = found.metadata
    await this.client.delete(resource, locationOf(resource, key), { preconditions: { uid } }, this.#signal.signal)
  }

  /** The object as it is now, by `namespace/name` or `name`; undefined if there is none. */
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

  /** One condition of an object's status; undefined if there is none of the type. */
  async condition(resource: Resource, key: string, type: string): Promise<Condition | undefined> {
    const found = await this.find(resource, key)
    const status = found?.status as StatusWithConditions | undefined // The form that every kind of ours and of theirs has.
    return findCondition(status?.conditions, type)
  }

  /** Moves time on, with all that it causes. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /**
   * Moves time on until nothing has been written for `quietMs`, by default one minute: the first three retries of a failure have had their turn then. Later ones come up to five
   * minutes apart. Throws after ten minutes of virtual time: then something writes for ever.
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
   * Ends everything that was started here. Rejects with the error of an operator that had ended by itself, unless the test has its `done`, or the operator
   * lost its lease.
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
