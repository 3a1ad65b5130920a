// Answers from a cached index whether the server serves a kind, and at which path. It refreshes the index when a kind
// is missing, or after `invalidate`, but never more often than the refresh limit allows. Invariant: a failed request
// never counts as proof that a kind is absent.
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
  /** Minimum time between two refreshes. Default 10 s. */
  readonly minRefreshMs?: number
  /** Age at which the index is refreshed. Default 10 min. */
  readonly maxAgeMs?: number
}

/** Time of the last refresh, and its error if it failed. */
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
   * Returns the resource of a kind in the group's preferred version, or undefined if the server does not serve it.
   * Rejects with a KubeError if the server cannot answer now.
   */
  async find(group: string, kind: string, signal: AbortSignal): Promise<Resource | undefined> {
    return resourceOf(
      await this.#look((index) => findKind(index, { group, kind }), signal),
      `${kind} in group "${group}"`,
    )
  }

  /** Returns the scope of a kind, or undefined if the server does not serve it. Rejects like `find`. */
  async scopeOf(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource['scope'] | undefined> {
    const query = { group: groupOf(apiVersion), version: apiVersion.slice(apiVersion.indexOf('/') + 1), kind }
    return resourceOf(await this.#look((index) => findKind(index, query), signal), `${kind} in ${apiVersion}`)?.scope
  }

  /** Resolves to true if the server serves exactly this resource, with its version and plural. Rejects like `find`. */
  async isServed(resource: Resource, signal: AbortSignal): Promise<boolean> {
    const finding = await this.#look((index) => findResource(index, resource), signal)
    return resourceOf(finding, groupResourceOf(resource)) !== undefined
  }

  /** Marks the index as stale, e.g. because a CRD changed: the next look-up refreshes it, within the refresh limit. */
  invalidate(): void {
    this.#isInvalid = true
  }

  /** Answers from memory for a served kind; refreshes the index first for a missing one. */
  async #look(find: (index: ResourceIndex) => Finding, signal: AbortSignal): Promise<Finding> {
    const remembered = this.#index === undefined ? undefined : find(this.#index)
    const ageMs = this.#clock.monotonicMs() - (this.#lastAttempt?.atMs ?? Number.NEGATIVE_INFINITY)
    const isOld = this.#isInvalid || ageMs >= this.#maxAgeMs
    const shouldAsk = (isOld || remembered?.kind !== 'served') && ageMs >= this.#minRefreshMs
    if (shouldAsk) await this.#refreshes.run((abandoned) => this.#refresh(abandoned), signal)
    const finding = this.#index === undefined ? undefined : find(this.#index)
    // After a failed refresh, kinds in the index still count as served, but a missing kind does not count as absent.
    if (finding === undefined || (finding.kind !== 'served' && this.#lastAttempt?.error !== undefined)) {
      throw this.#lastAttempt?.error
    }
    return finding
  }

  /** Rejects only when abandoned. All callers within the refresh limit share its outcome. */
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

  /** The older form of discovery: one request per group version, 8 at a time, in the given order. */
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
      // NotFound means that the group version was removed between the two requests; every other error leaves it
      // unknown.
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
