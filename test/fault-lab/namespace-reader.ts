// Client of a namespace as `admin`, for reads and changes of a user. Invariant: its requests bypass all faults, which
// strike only the operator.
import type { ApiAnswer, ApiRequest } from '../control-plane/api-request.ts'
import type { AnyObject } from './end-state.ts'

/** Path of a kind's collection below a namespace, for example `apps/v1 statefulsets`. */
export interface KindPath {
  readonly groupVersion: string
  readonly plural: string
  readonly kind: string
}

/** Server that executes requests of an administrator. A rejection is a response, not an error. */
export interface Requesting {
  request(ask: ApiRequest): Promise<ApiAnswer>
}

export const storeKind: KindPath = {
  groupVersion: 'data.konverge.dev/v1alpha1',
  plural: 'replicatedkvstores',
  kind: 'ReplicatedKVStore',
}

export class NamespaceReader {
  readonly #cluster: Requesting
  readonly namespace: string

  constructor(cluster: Requesting, namespace: string) {
    this.#cluster = cluster
    this.namespace = namespace
  }

  async create({ groupVersion, kind, ...path }: KindPath, name: string, spec: object): Promise<void> {
    const object = { apiVersion: groupVersion, kind, metadata: { name, namespace: this.namespace }, spec }
    await this.#create(this.#pathOf({ groupVersion, kind, ...path }), object)
  }

  async createNamespace(): Promise<void> {
    await this.#create('/api/v1/namespaces', { metadata: { name: this.namespace } })
  }

  async patch(kind: KindPath, name: string, body: object): Promise<void> {
    const path = `${this.#pathOf(kind)}/${name}`
    done(await this.#cluster.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }))
  }

  async delete(kind: KindPath, name: string): Promise<void> {
    done(await this.#cluster.request({ method: 'DELETE', path: `${this.#pathOf(kind)}/${name}` }))
  }

  async get<T extends AnyObject>(kind: KindPath, name: string): Promise<T | undefined> {
    const answer = await this.#cluster.request({ method: 'GET', path: `${this.#pathOf(kind)}/${name}` })
    return answer.status === 404 ? undefined : (done(answer) as T)
  }

  async list(kind: KindPath): Promise<readonly AnyObject[]> {
    const answer = await this.#cluster.request({ method: 'GET', path: this.#pathOf(kind) })
    const { items } = done(answer) as { readonly items: readonly AnyObject[] } // The schema of every list.
    // Items of a list lack apiVersion and kind.
    return items.map((item) => ({ ...item, apiVersion: kind.groupVersion, kind: kind.kind }))
  }

  /** Returns all objects of these kinds. */
  async objects(kinds: readonly KindPath[]): Promise<readonly AnyObject[]> {
    return (await Promise.all(kinds.map((kind) => this.list(kind)))).flat()
  }

  async #create(path: string, body: object): Promise<void> {
    done(await this.#cluster.request({ method: 'POST', path, body }))
  }

  #pathOf({ groupVersion, plural }: KindPath): string {
    const root = groupVersion.includes('/') ? 'apis' : 'api'
    return `/${root}/${groupVersion}/namespaces/${this.namespace}/${plural}`
  }
}

/**
 * Returns every namespaced kind with the verb `list`, in its preferred version, except Events: writers send them at
 * best effort and may drop them.
 */
export async function namespacedKinds(cluster: Requesting): Promise<readonly KindPath[]> {
  const get = async (path: string) => done(await cluster.request({ method: 'GET', path }))
  // The schemas of APIGroupList and APIResourceList.
  const { groups } = (await get('/apis')) as { groups: readonly { preferredVersion: { groupVersion: string } }[] }
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)]
  const kinds = await Promise.all(
    versions.map(async (groupVersion) => {
      const { resources } = (await get(`/${groupVersion === 'v1' ? 'api' : 'apis'}/${groupVersion}`)) as {
        resources: readonly { name: string; kind: string; namespaced: boolean; verbs: readonly string[] }[]
      }
      return resources
        .filter(({ name, namespaced, verbs }) => namespaced && verbs.includes('list') && name !== 'events')
        .map(({ name, kind }) => ({ groupVersion, plural: name, kind }))
    }),
  )
  return kinds.flat()
}

function done({ status, text }: ApiAnswer): unknown {
  if (status >= 300) throw new Error(`the API server answered ${status}: ${text}`)
  return JSON.parse(text)
}
