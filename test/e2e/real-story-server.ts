// StoryServer on the real control plane: kubectl, the operator in its own process, and the audit log as evidence.
import { readFile } from 'node:fs/promises'
import type { Controller } from '../../src/index.ts'
import { type ApiAnswer, type ApiRequest, apiRequest } from '../control-plane/api-request.ts'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { KubectlObjects } from './kubectl-objects.ts'
import { operatorAccount, operatorKubeconfig, refusalsOf } from './operator-account.ts'
import { OperatorHere } from './operator-here.ts'
import { OperatorProcess } from './operator-process.ts'
import { argumentsFor, ProxiedOperator } from './proxied-operator.ts'
import { operatorNamespace } from './rights.ts'
import { installDefinitions, isWrite } from './stores.ts'
import { countsOf, type Happening } from './story-counts.ts'
import type {
  Account,
  Counts,
  MortalOperator,
  OperatorAsk,
  OwnServer,
  StoryOperator,
  StoryRequest,
  StoryServer,
} from './story-server.ts'

export class RealStoryServer extends KubectlObjects implements StoryServer {
  readonly #cluster: ControlPlaneClient
  readonly #tokens = new Map<string, string>()

  constructor(cluster: ControlPlaneClient) {
    super(cluster)
    this.#cluster = cluster
  }

  static async start(cluster: ControlPlaneClient): Promise<RealStoryServer> {
    const server = new RealStoryServer(cluster)
    await installDefinitions(server)
    return server
  }

  request(ask: ApiRequest): Promise<ApiAnswer> {
    return this.#cluster.request(ask)
  }

  async requestAs(account: Account, ask: ApiRequest): Promise<ApiAnswer> {
    const key = `${account.namespace}/${account.name}`
    const token = this.#tokens.get(key) ?? (await this.#cluster.serviceAccountKubeconfig(account)).token
    this.#tokens.set(key, token)
    const { url, caFile } = this.#cluster
    return apiRequest({ url, token, ca: await readFile(caFile, 'utf8') }, ask)
  }

  async startOperator(namespace?: string): Promise<StoryOperator> {
    const args = argumentsFor({
      namespaces: namespace === undefined ? [] : [namespace],
      backoff: { baseMs: 1_000, capMs: 1_000_000 },
    })
    return new OperatorProcess(await operatorKubeconfig(this.#cluster), args).ready()
  }

  async mortalOperator(ask: OperatorAsk): Promise<MortalOperator> {
    const { token } =
      ask.account === undefined
        ? await operatorAccount(this.#cluster, ask.election?.leaseNamespace)
        : await this.#cluster.serviceAccountKubeconfig(ask.account)
    return ProxiedOperator.create(this.#cluster, token, ask)
  }

  startControllers(ask: OperatorAsk & { readonly controllers: readonly Controller[] }): Promise<StoryOperator> {
    return new OperatorHere({ ...ask, kubeconfig: this.#cluster.kubeconfigPath }).ready()
  }

  async requests(): Promise<readonly StoryRequest[]> {
    return (await this.#cluster.auditEvents()).filter(isOurs).map(requestOf)
  }

  async operatorWrites(wanted: string): Promise<readonly StoryRequest[]> {
    return (await this.requests()).filter((request) => request.namespace === wanted && isWrite(request))
  }

  refusals(): Promise<readonly string[]> {
    return refusalsOf(this.#cluster, operatorNamespace)
  }

  async counts(): Promise<ReadonlyMap<string, Counts>> {
    return countsOf((await this.#cluster.auditEvents()).flatMap(happeningsOf))
  }

  nowMs(): number {
    return Date.now()
  }

  /** Does nothing: other tests share the control plane. */
  async stop(): Promise<void> {}
}

/** True for the user agents of operators, which kubectl never sends. */
function isOurs({ userAgent }: AuditEvent): boolean {
  return userAgent !== undefined && /^(konverge|shelves-\w+)\//.test(userAgent)
}

export function requestOf(event: AuditEvent): StoryRequest {
  const { namespace = '', resource = '', subresource = '', name = '', apiGroup = '' } = event.objectRef ?? {}
  return {
    ...{ verb: event.verb, group: apiGroup, namespace, resource, subresource, name, path: event.requestURI },
    userAgent: event.userAgent ?? '',
    code: event.responseStatus?.code ?? 0,
    atMs: Date.parse(event.requestReceivedTimestamp),
  }
}

function happeningsOf(event: AuditEvent): readonly Happening[] {
  const { verb, resource, subresource, namespace, code, userAgent } = requestOf(event)
  if (subresource !== '' || code >= 300) return []
  const isOurRequest = userAgent.startsWith('konverge/')
  const what = { resource, namespace, isOurs: isOurRequest }
  if (code === 201) return [{ kind: 'created', ...what }]
  if (verb !== 'delete') return []
  const deleted: readonly Happening[] = isOurRequest ? [{ kind: 'deleted by the operator', ...what }] : []
  return [{ kind: 'ending', ...what }, ...deleted]
}

/** Server on a control plane that the story does not share. */
export class OwnRealServer extends RealStoryServer implements OwnServer {
  readonly #cluster: ControlPlane

  constructor(cluster: ControlPlane) {
    super(cluster)
    this.#cluster = cluster
  }

  async setAway(isAway: boolean): Promise<void> {
    await (isAway ? this.#cluster.stopApiServer() : this.#cluster.startApiServer())
  }

  async forgetHistory(): Promise<void> {
    await this.#cluster.compactEtcd()
  }

  override async stop(): Promise<void> {
    await this.#cluster.stop()
  }
}
