// Client of an attacker with a token: each method sends one request under the rights of that account, and records the
// response.
import { objectPath } from '../../src/kube/paths.ts'
import type { ApiAnswer, ApiRequest } from '../control-plane/api-request.ts'
import type { LiveJson } from '../e2e/hand.ts'
import { kindOf } from '../e2e/story-kinds.ts'
import type { Account, StoryServer } from '../e2e/story-server.ts'

const readable = [
  ...['kv', 'db', 'dbu', 'bak', 'mig', 'event'],
  ...['configmap', 'secret', 'service', 'pvc', 'pod', 'statefulset', 'job'],
]

export interface At {
  readonly namespace?: string
  /** The field manager. */
  readonly as?: string
  readonly subresource?: string
}

/** The parts of an object besides its kind and name. */
export interface ObjectParts {
  readonly metadata?: object
  readonly [field: string]: unknown
}

export class Intruder {
  readonly #server: StoryServer
  readonly #account: Account
  /** Responses of the current attempt. */
  answers: ApiAnswer[] = []
  /** Paths of the objects to remove after the attempt. */
  readonly created: string[] = []

  constructor(server: StoryServer, account: Account) {
    this.#server = server
    this.#account = account
  }

  get namespace(): string {
    return this.#account.namespace
  }

  async create(kind: string, name: string, parts: ObjectParts, at: At = {}): Promise<ApiAnswer> {
    const path = this.pathOf(kind, name, at)
    const list = path.replace(/\/[^/]*$/, '')
    return await this.#made(path, {
      method: 'POST',
      path: `${list}?fieldManager=${at.as ?? 'kubectl-create'}`,
      body: objectOf(kind, name, parts, this.#namespaceOf(kind, at)),
    })
  }

  /** Applies like `kubectl apply --server-side --force-conflicts`. */
  async apply(kind: string, name: string, parts: ObjectParts, at: At = {}): Promise<ApiAnswer> {
    const path = this.pathOf(kind, name, at)
    return await this.#made(path, {
      method: 'PATCH',
      path: `${path}?fieldManager=${at.as ?? 'kubectl'}&force=true`,
      body: objectOf(kind, name, parts, this.#namespaceOf(kind, at)),
      contentType: 'application/apply-patch+yaml',
    })
  }

  /** Sends a merge patch. */
  async patch(kind: string, name: string, body: object, at: At = {}): Promise<ApiAnswer> {
    const path = `${this.pathOf(kind, name, at)}?fieldManager=${at.as ?? 'kubectl-patch'}`
    return await this.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' })
  }

  async delete(kind: string, name: string, at: At = {}): Promise<ApiAnswer> {
    return await this.request({ method: 'DELETE', path: this.pathOf(kind, name, at) })
  }

  async get(kind: string, name: string, at: At = {}): Promise<ApiAnswer> {
    return await this.request({ method: 'GET', path: this.pathOf(kind, name, at) })
  }

  async list(kind: string, at: At = {}): Promise<ApiAnswer> {
    return await this.request({ method: 'GET', path: this.pathOf(kind, 'any', at).replace(/\/any$/, '') })
  }

  async request(ask: ApiRequest): Promise<ApiAnswer> {
    const answer = await this.#server.requestAs(this.#account, ask)
    this.answers.push(answer)
    return answer
  }

  /** Returns the object, or undefined if it does not exist; not recorded. */
  async peek(kind: string, name: string, at: At = {}): Promise<LiveJson | undefined> {
    const { status, text } = await this.#server.requestAs(this.#account, {
      method: 'GET',
      path: this.pathOf(kind, name, at),
    })
    return status === 200 ? (JSON.parse(text) as LiveJson) : undefined // The form of every object.
  }

  /** Returns all that an editor can read in the namespace, as one text; not recorded. */
  async everything(): Promise<string> {
    const read = async (kind: string) => {
      const path = this.pathOf(kind, 'any').replace(/\/any$/, '')
      return (await this.#server.requestAs(this.#account, { method: 'GET', path })).text
    }
    return (await Promise.all(readable.map(read))).join('\n')
  }

  pathOf(kind: string, name: string, at: At = {}): string {
    const resource = kindOf(kind)
    const namespace = at.namespace ?? this.namespace
    const path = objectPath(resource, resource.scope === 'Cluster' ? { name } : { namespace, name })
    return at.subresource === undefined ? path : `${path}/${at.subresource}`
  }

  async #made(path: string, ask: ApiRequest): Promise<ApiAnswer> {
    const answer = await this.request(ask)
    if (answer.status < 300) this.created.push(path)
    return answer
  }

  #namespaceOf(kind: string, at: At): string | undefined {
    return kindOf(kind).scope === 'Cluster' ? undefined : (at.namespace ?? this.namespace)
  }
}

function objectOf(kind: string, name: string, { metadata, ...parts }: ObjectParts, namespace: string | undefined) {
  const { group, version, kind: named } = kindOf(kind)
  const apiVersion = group === '' ? version : `${group}/${version}`
  const place = namespace === undefined ? { name } : { name, namespace }
  return { apiVersion, kind: named, metadata: { ...metadata, ...place }, ...parts }
}
