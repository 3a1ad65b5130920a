// StoryServer on the embedded server: the test kit's cluster with nodes of simulated pods. Waits advance the simulated
// clock and take no time.

import { readFile } from 'node:fs/promises'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { requestInfoOf } from '../../src/apiserver/request-info.ts'
import { storageClasses } from '../../src/cli/dev/sample-objects.ts'
import { ServiceAccount } from '../../src/index.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { type ApiAnswer, type ApiRequest, bodyTextOf } from '../control-plane/api-request.ts'
import { usualLimitMs } from '../control-plane/wait-until.ts'
import { flagshipDefinitions } from './definitions.ts'
import { EmbeddedOperator } from './embedded-operator.ts'
import { kindsOfAccount, manifestsIn, operatorNamespace } from './rights.ts'
import { isWrite } from './stores.ts'
import { countsOf, type Happening } from './story-counts.ts'
import { kindOf } from './story-kinds.ts'
import type {
  Account,
  Awaited,
  Counts,
  MortalOperator,
  OperatorAsk,
  OwnServer,
  Place,
  StoryOperator,
  StoryRequest,
} from './story-server.ts'

export interface EmbeddedStoryOptions {
  /** Default 3. */
  readonly nodes?: number
  /** Installs the flagship's definitions. Default: true. */
  readonly hasDefinitions?: boolean
}

/** Metadata that every object in the log has. */
interface LogMetadata {
  readonly managedFields?: readonly { readonly manager: string }[]
  readonly deletionTimestamp?: string
}

const file = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const signal = new AbortController().signal
const adminAccount = { namespace: 'kube-system', name: 'story' }
const dayInSeconds = 86_400

export class EmbeddedStoryServer implements OwnServer {
  readonly #cluster: TestCluster
  readonly #requests: StoryRequest[] = []
  readonly #tokens = new Map<string, string>()
  readonly #operators: EmbeddedOperator[] = []

  private constructor(cluster: TestCluster) {
    this.#cluster = cluster
  }

  static async start(options: EmbeddedStoryOptions = {}): Promise<EmbeddedStoryServer> {
    const { nodes = 3, hasDefinitions = true } = options
    const definitions = hasDefinitions ? await flagshipDefinitions() : []
    const server = new EmbeddedStoryServer(await startCluster({ definitions, simulatedNodes: nodes }))
    // The cluster already has the class `standard`.
    await server.apply(...storageClasses.filter(({ metadata }) => metadata.name === 'fast'))
    await server.#makeAdministrator()
    await server.#installAccount(operatorNamespace)
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

  async until(
    { what, limitMs = usualLimitMs, everyMs = 50, giveUp }: Awaited,
    isSo: () => Promise<boolean>,
  ): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += everyMs) {
      giveUp?.()
      if (passedMs > limitMs) throw new Error(`Waited ${limitMs / 1000} s for ${what}.`)
      await this.#cluster.advance(everyMs)
    }
  }

  pass(ms: number): Promise<void> {
    return this.#cluster.advance(ms)
  }

  nowMs(): number {
    return this.#cluster.clock.now()
  }

  request(ask: ApiRequest): Promise<ApiAnswer> {
    return this.requestAs(adminAccount, ask)
  }

  async requestAs(account: Account, ask: ApiRequest): Promise<ApiAnswer> {
    const { method, path, contentType = 'application/json', accept = '*/*' } = ask
    const token = await this.#tokenOf(account)
    const headers = { authorization: `Bearer ${token}`, 'content-type': contentType, accept }
    const body = bodyTextOf(ask)
    const content = body === undefined ? {} : { body }
    const answer = await handleFetch(
      this.#cluster.server,
      new Request(`http://here${path}`, { method, headers, ...content }),
    )
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, text: bytes.toString('utf8'), bytes }
  }

  async startOperator(namespace?: string): Promise<StoryOperator> {
    const operator = await this.mortalOperator({ namespaces: namespace === undefined ? [] : [namespace] })
    return operator.start().ready()
  }

  async mortalOperator(ask: OperatorAsk): Promise<MortalOperator> {
    if (ask.account !== undefined) return this.#operator(ask, await this.#tokenOf(ask.account))
    const namespace = ask.election?.leaseNamespace ?? operatorNamespace
    if (namespace !== operatorNamespace) await this.#installAccount(namespace)
    return this.#operator(ask, await this.#tokenOf({ namespace, name: 'konverge' }))
  }

  async startControllers(ask: OperatorAsk): Promise<StoryOperator> {
    const operator = this.#operator({ ...ask, logsTurns: true }, await this.#tokenOf(adminAccount))
    return operator.start().ready()
  }

  async requests(): Promise<readonly StoryRequest[]> {
    return this.#requests
  }

  async operatorWrites(wanted: string): Promise<readonly StoryRequest[]> {
    return this.#requests.filter((request) => request.namespace === wanted && isWrite(request))
  }

  async refusals(): Promise<readonly string[]> {
    return this.#requests.filter(({ code }) => code === 403).map(({ verb, path }) => `${verb} ${path}`)
  }

  async counts(): Promise<ReadonlyMap<string, Counts>> {
    const written = this.#cluster.server.log.entriesAfter(1).flatMap(({ kind, place, now }): readonly Happening[] => {
      const { managedFields = [], deletionTimestamp } = now.object['metadata'] as LogMetadata
      const isOurs = managedFields.some(({ manager }) => manager.startsWith('konverge'))
      const [resource = ''] = place.shelf.split('.')
      const what = { resource, namespace: place.namespace, isOurs }
      if (kind === 'created') return [{ kind, ...what }]
      return deletionTimestamp === undefined ? [] : [{ kind: 'ending', ...what }]
    })
    const deleted = this.#requests
      .filter(({ verb, subresource, code }) => verb === 'delete' && subresource === '' && code < 300)
      .map(
        ({ resource, namespace }) => ({ kind: 'deleted by the operator', resource, namespace, isOurs: true }) as const,
      )
    return countsOf([...written, ...deleted])
  }

  async setAway(isAway: boolean): Promise<void> {
    for (const { way } of this.#operators) way.line = isAway ? 'down' : 'up'
  }

  async forgetHistory(): Promise<void> {
    const { log } = this.#cluster.server
    log.compact(log.revision)
    for (const { way } of this.#operators) way.breakConnections()
  }

  stop(): Promise<void> {
    return this.#cluster.stop()
  }

  #operator(ask: OperatorAsk & { readonly logsTurns?: boolean }, token: string): EmbeddedOperator {
    const fetch = (request: Request) => this.#recorded(request)
    const seed = this.#operators.length + 1
    const operator = new EmbeddedOperator({ ...ask, token, cluster: this.#cluster, fetch, seed })
    this.#operators.push(operator)
    return operator
  }

  async #recorded(request: Request): Promise<Response> {
    const { pathname, search, searchParams } = new URL(request.url)
    const { verb, group, resource, subresource, namespace, name } = requestInfoOf(
      request.method,
      pathname,
      searchParams,
    )
    const userAgent = request.headers.get('user-agent') ?? ''
    const asked = { verb, group, namespace, resource, subresource, name, path: pathname + search, userAgent }
    const index = this.#requests.push({ ...asked, code: 0, atMs: this.#cluster.clock.now() }) - 1
    const answer = await handleFetch(this.#cluster.server, request)
    this.#requests[index] = { ...asked, code: answer.status, atMs: this.#requests[index]?.atMs ?? 0 }
    return answer
  }

  /** Applies what `konverge install` prints for a namespace, except the operator itself. */
  async #installAccount(namespace: string): Promise<void> {
    const printed = (await file('test/golden/install.yaml')).replaceAll(operatorNamespace, namespace)
    await this.apply(...manifestsIn(printed).filter(({ kind }) => kindsOfAccount.test(kind)))
  }

  async #makeAdministrator(): Promise<void> {
    const { namespace, name } = adminAccount
    const group = 'rbac.authorization.k8s.io'
    await this.apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: adminAccount },
      {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', namespace, name }],
      },
    )
  }

  async #tokenOf(account: Account): Promise<string> {
    const key = `${account.namespace}/${account.name}`
    const known = this.#tokens.get(key)
    if (known !== undefined) return known
    const ask = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: account }
    const request = { ...ask, spec: { expirationSeconds: dayInSeconds } }
    const options = { fieldManager: 'test', subresource: 'token' } as const
    const made = await this.#cluster.client.create(ServiceAccount, request, options, signal)
    const { token } = made.status as { token: string } // A created TokenRequest has a token.
    this.#tokens.set(key, token)
    return token
  }
}

function locationOf({ namespace, kind, name }: Place) {
  return kindOf(kind).scope === 'Cluster' ? { name } : { namespace, name }
}

function keyOf({ namespace, kind, name }: Place): string {
  return kindOf(kind).scope === 'Cluster' ? name : `${namespace}/${name}`
}
