// Is this kind served, and where? Asks the server once and remembers; asks again when something is missing or when told
// to, but never more often than the refresh limit allows. An error is never an answer of "no".
import type { Clock } from '../base/clock.ts'
import { groupOf, groupResourceOf, type Resource } from '../object/resource.ts'
import type { KubeClient } from './client.ts'
import {
  discoveryPath,
  type Finding,
  findKind,
  findResource,
  type GroupVersion,
  parseAggregated,
  parseGroupList,
  parseResourceList,
  type ResourceIndex,
  rememberUnknown,
} from './discovery.ts'
import { isKubeError, KubeError } from './kube-errors.ts'
import { SharedRunner } from './shared-runner.ts'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
const legacyParallelism = 8

export interface DiscoveryClientOptions {
  readonly clock: Clock
  readonly client: Pick<KubeClient, 'read'>
  /** No two refreshes are closer than this. Default 10 s. */
  readonly minRefreshMs?: number
  /** What was learned is asked for again after this. Default 10 min. */
  readonly maxAgeMs?: number
}

/** What came of asking: an index, or the reason why there is none. */
interface Attempt {
  readonly atMs: number
  readonly error?: unknown
}

export class DiscoveryClient {
  readonly #clock: Clock
  readonly #client: Pick<KubeClient, 'read'>
  readonly #minRefreshMs: number
  readonly #maxAgeMs: number
  readonly #refreshes = new SharedRunner<void>()
  #index: ResourceIndex | undefined
  #lastAttempt: Attempt | undefined
  #isInvalid = false

  constructor({ clock, client, minRefreshMs = 10_000, maxAgeMs = 600_000 }: DiscoveryClientOptions) {
    this.#clock = clock
    this.#client = client
    this.#minRefreshMs = minRefreshMs
    this.#maxAgeMs = maxAgeMs
  }

  /**
   * The resource of a kind in the group's preferred version, or undefined if the server does not serve it. Rejects with
   * a KubeError if that cannot be known now.
   */
  async find(group: string, kind: string, signal: AbortSignal): Promise<Resource | undefined> {
    return resourceOf(
      await this.#look((index) => findKind(index, { group, kind }), signal),
      `${kind} in group "${group}"`,
    )
  }

  /** Whether objects of this kind live in namespaces; undefined if the kind is not served. Rejects like `find`. */
  async scopeOf(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource['scope'] | undefined> {
    const query = { group: groupOf(apiVersion), version: apiVersion.slice(apiVersion.indexOf('/') + 1), kind }
    return resourceOf(await this.#look((index) => findKind(index, query), signal), `${kind} in ${apiVersion}`)?.scope
  }

  /** Is exactly this resource served, with its version and plural? Rejects like `find`. */
  async isServed(resource: Resource, signal: AbortSignal): Promise<boolean> {
    const finding = await this.#look((index) => findResource(index, resource), signal)
    return resourceOf(finding, groupResourceOf(resource)) !== undefined
  }

  /** What is remembered may be wrong, e.g. because a CRD changed: the next look-up asks again, within the refresh limit. */
  invalidate(): void {
    this.#isInvalid = true
  }

  /** A kind that is served is answered from memory; one that is missing is looked for again first. */
  async #look(find: (index: ResourceIndex) => Finding, signal: AbortSignal): Promise<Finding> {
    const remembered = this.#index === undefined ? undefined : find(this.#index)
    const ageMs = this.#clock.monotonicMs() - (this.#lastAttempt?.atMs ?? Number.NEGATIVE_INFINITY)
    const isOld = this.#isInvalid || ageMs >= this.#maxAgeMs
    const shouldAsk = (isOld || remembered?.kind !== 'served') && ageMs >= this.#minRefreshMs
    if (shouldAsk) await this.#refreshes.run((abandoned) => this.#refresh(abandoned), signal)
    const finding = this.#index === undefined ? undefined : find(this.#index)
    // A failed refresh takes back nothing that was known to be there, but proves nothing absent either.
    if (finding === undefined || (finding.kind !== 'served' && this.#lastAttempt?.error !== undefined)) {
      throw this.#lastAttempt?.error
    }
    return finding
  }

  /** Never rejects but when abandoned: what came of it is kept for all who ask within the refresh limit. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const atMs = this.#clock.monotonicMs()
    this.#isInvalid = false
    try {
      const latest = (await Promise.all([this.#load('/api', signal), this.#load('/apis', signal)])).flat()
      this.#index = rememberUnknown(this.#index ?? [], latest)
      this.#lastAttempt = { atMs }
    } catch (thrown) {
      this.#isInvalid = true
      signal.throwIfAborted()
      this.#lastAttempt = { atMs, error: thrown }
    }
  }

  async #load(root: '/api' | '/apis', signal: AbortSignal): Promise<ResourceIndex> {
    const document = await this.#client.read(root, signal, { accept: aggregated })
    return parseAggregated(document) ?? this.#loadEach(parseGroupList(document), signal)
  }

  /** The older form: one request a group version, a few at a time, in the order given. */
  async #loadEach(apiVersions: readonly string[], signal: AbortSignal): Promise<ResourceIndex> {
    const found: GroupVersion[] = []
    for (let start = 0; start < apiVersions.length; start += legacyParallelism) {
      const batch = apiVersions.slice(start, start + legacyParallelism)
      found.push(...(await Promise.all(batch.map((apiVersion) => this.#loadOne(apiVersion, signal)))))
    }
    return found
  }

  async #loadOne(apiVersion: string, signal: AbortSignal): Promise<GroupVersion> {
    try {
      const document = await this.#client.read(discoveryPath(apiVersion), signal)
      return { apiVersion, state: 'served', resources: parseResourceList(apiVersion, document) }
    } catch (thrown) {
      signal.throwIfAborted()
      // Gone between the two requests is an answer; anything else is none.
      const isGone = isKubeError(thrown, 'NotFound', 'ResourceNotFound')
      return { apiVersion, state: isGone ? 'served' : 'unknown', resources: [] }
    }
  }
}

function resourceOf(finding: Finding, what: string): Resource | undefined {
  switch (finding.kind) {
    case 'served':
      return finding.resource
    case 'absent':
      return undefined
    case 'unknown':
      throw new KubeError({
        code: 'ServiceUnavailable',
        message: `cannot tell whether ${what} is served: the API server does not know at present what ${finding.apiVersion} holds; see "kubectl get apiservices"`,
      })
  }
}
