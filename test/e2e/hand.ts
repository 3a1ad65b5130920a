// Requests of a user to the objects of one namespace, as kubectl sends them: one request per call, with a field
// manager. A rejection throws the server's message. Works with every server.
import { objectPath } from '../../src/kube/paths.ts'
import type { ApiAnswer } from '../control-plane/api-request.ts'
import type { Requesting } from '../fault-lab/namespace-reader.ts'
import { kindOf } from './story-kinds.ts'

export interface LiveJson {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
    readonly managedFields?: readonly {
      readonly manager: string
      readonly operation: string
      readonly fieldsV1: object
    }[]
  }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: unknown
}

/** An object as in a manifest. */
export interface ManifestJson {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

export interface PatchAsk {
  readonly manager?: string
  readonly subresource?: string
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

export class Hand {
  readonly #server: Requesting
  readonly namespace: string

  constructor(server: Requesting, namespace: string) {
    this.#server = server
    this.namespace = namespace
  }

  async create(object: ManifestJson, manager = 'kubectl-create'): Promise<void> {
    const path = this.#pathOf(object.kind, object.metadata).replace(/\/[^/]*$/, '')
    done(await this.#server.request({ method: 'POST', path: `${path}?fieldManager=${manager}`, body: object }))
  }

  /** Creates the object like the first client-side `kubectl apply`, with the last-applied annotation. */
  async createByApply(object: ManifestJson): Promise<void> {
    const annotations = object.metadata['annotations'] as object | undefined // A manifest.
    const metadata = { ...object.metadata, annotations: { ...annotations, [lastApplied]: JSON.stringify(object) } }
    await this.create({ ...object, metadata }, 'kubectl-client-side-apply')
  }

  /** Applies the object like `kubectl apply --server-side`, without force. */
  async apply(object: ManifestJson, manager = 'kubectl'): Promise<void> {
    const path = `${this.#pathOf(object.kind, object.metadata)}?fieldManager=${manager}`
    done(
      await this.#server.request({ method: 'PATCH', path, body: object, contentType: 'application/apply-patch+yaml' }),
    )
  }

  /** Sends a merge patch. */
  async patch(kind: string, name: string, body: object, { manager = 'kubectl-patch', subresource }: PatchAsk = {}) {
    const tail = subresource === undefined ? '' : `/${subresource}`
    const path = `${this.#pathOf(kind, { name })}${tail}?fieldManager=${manager}`
    done(await this.#server.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }))
  }

  async annotate(kind: string, name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
    await this.patch(kind, name, { metadata: { annotations } }, { manager: 'kubectl-annotate' })
  }

  async scale(kind: string, name: string, replicas: number): Promise<void> {
    await this.patch(kind, name, { spec: { replicas } }, { manager: 'kubectl', subresource: 'scale' })
  }

  /** Deletes the object; does not wait for its end. */
  async delete(kind: string, name: string): Promise<void> {
    done(await this.#server.request({ method: 'DELETE', path: this.#pathOf(kind, { name }) }))
  }

  async find(kind: string, name: string): Promise<LiveJson | undefined> {
    const answer = await this.#server.request({ method: 'GET', path: this.#pathOf(kind, { name }) })
    return answer.status === 404 ? undefined : (done(answer) as LiveJson) // The form of every object.
  }

  async list(kind: string): Promise<readonly LiveJson[]> {
    const path = this.#pathOf(kind, { name: 'any' }).replace(/\/any$/, '')
    return itemsOf(await this.#server.request({ method: 'GET', path }))
  }

  /** Returns the notes of the Events with this reason about an object. */
  async notes(name: string, reason: string): Promise<readonly string[]> {
    interface EventJson {
      readonly reason: string
      readonly note: string
      readonly regarding: { readonly name: string }
    }
    const path = `/apis/events.k8s.io/v1/namespaces/${this.namespace}/events`
    const events = itemsOf<EventJson>(await this.#server.request({ method: 'GET', path }))
    return events.filter((event) => event.reason === reason && event.regarding.name === name).map(({ note }) => note)
  }

  #pathOf(kind: string, { name, namespace = this.namespace }: { name: string; namespace?: string }): string {
    const resource = kindOf(kind)
    return objectPath(resource, resource.scope === 'Cluster' ? { name } : { name, namespace })
  }
}

function itemsOf<T = LiveJson>(answer: ApiAnswer): readonly T[] {
  return (done(answer) as { readonly items: readonly T[] }).items // The schema of every list.
}

function done({ status, text }: ApiAnswer): unknown {
  if (status >= 300) throw new Error(`the API server answered ${status}: ${text}`)
  return JSON.parse(text)
}
