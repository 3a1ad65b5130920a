// Fixture of one behaviour: the server, the namespace of its area, and short forms of the requests. `made` creates an
// object that is
// only a precondition; it throws on a rejection.
import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../src/base/json.ts'
import { collectionPath, type Kind, namespaces, object, serviceAccounts } from './kinds.ts'
import type { Answer, Query, ServerUnderTest } from './server-under-test.ts'
import type { WatchReader } from './watch-reader.ts'

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

const patchTypes: Record<PatchType, string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

export interface Where {
  readonly query?: Query
  readonly subresource?: string
  /** Namespace other than the area's. */
  readonly namespace?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Longer than any controller takes; shorter for a behaviour that is expected to fail. */
const quietLimitMs = 20_000
const failingLimitMs = 1_000

export class Stage {
  readonly server: ServerUnderTest
  readonly namespace: string
  readonly #closing: (() => void)[] = []
  readonly #limitMs: number

  constructor(server: ServerUnderTest, namespace: string, { isFailing = false } = {}) {
    this.server = server
    this.namespace = namespace
    this.#limitMs = isFailing ? failingLimitMs : quietLimitMs
  }

  /** Returns the path of a kind's collection in this namespace, or of an object in it. */
  path(kind: Kind, name = '', { namespace = this.namespace, subresource }: Where = {}): string {
    const collection = collectionPath(kind, namespace)
    return [collection, name, subresource].filter((part) => part !== undefined && part !== '').join('/')
  }

  get(kind: Kind, name: string, where: Where = {}): Promise<Answer> {
    const { query, headers } = where
    return this.server.request({ method: 'GET', path: this.path(kind, name, where), query, headers })
  }

  list(kind: Kind, query: Query = {}, where: Where = {}): Promise<Answer> {
    return this.server.request({ method: 'GET', path: this.path(kind, '', where), query, headers: where.headers })
  }

  create(kind: Kind, body: Json, where: Where = {}): Promise<Answer> {
    const { query, headers } = where
    return this.server.request({ method: 'POST', path: this.path(kind, '', where), query, headers, body })
  }

  /** The name comes from the body. */
  update(kind: Kind, body: JsonObject, where: Where = {}): Promise<Answer> {
    const { query, headers } = where
    const path = this.path(kind, textAt(body, 'metadata.name'), where)
    return this.server.request({ method: 'PUT', path, query, headers, body })
  }

  patch(type: PatchType, kind: Kind, name: string, body: Json, where: Where = {}): Promise<Answer> {
    const { query, headers } = where
    const path = this.path(kind, name, where)
    return this.server.request({
      method: 'PATCH',
      path,
      query,
      headers: { 'content-type': patchTypes[type], ...headers },
      body,
    })
  }

  /** Server-side apply by this manager; the name comes from the body. */
  apply(manager: string, kind: Kind, body: JsonObject, where: Where = {}): Promise<Answer> {
    const query = { fieldManager: manager, ...where.query }
    return this.patch('apply', kind, textAt(body, 'metadata.name'), body, { ...where, query })
  }

  delete(kind: Kind, name: string, options?: JsonObject, where: Where = {}): Promise<Answer> {
    const { query, headers } = where
    const path = this.path(kind, name, where)
    return this.server.request({ method: 'DELETE', path, query, headers, body: options })
  }

  /** Opens a watch of a kind in this namespace; closed when the behaviour ends. */
  async watch(kind: Kind, query: Query = {}, where: Where = {}): Promise<WatchReader> {
    const watch = await this.server.watch({ path: this.path(kind, '', where), query, headers: where.headers })
    this.#closing.push(() => watch.close())
    return watch
  }

  /** Creates an object that the behaviour needs. */
  async made(kind: Kind, body: JsonObject, where: Where = {}): Promise<JsonObject> {
    return taken(await this.create(kind, body, where))
  }

  /** Creates a namespace for this behaviour alone. */
  async madeNamespace(name: string): Promise<string> {
    const full = `${this.namespace}-${name}`
    await this.furnishedNamespace(full)
    return full
  }

  /** Creates a namespace in which pods may be created: waits for its service account, which a controller creates. */
  async furnishedNamespace(name: string): Promise<void> {
    await this.made(namespaces, object(namespaces, name))
    await this.eventually(
      () => this.get(serviceAccounts, 'default', { namespace: name }),
      ({ status }) => status === 200,
    )
  }

  /** Repeats the request until `isSo` is true; returns that response. */
  async eventually(
    ask: () => Promise<Answer>,
    isSo: (answer: Answer) => boolean,
    limitMs = this.#limitMs,
  ): Promise<Answer> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const answer = await ask()
      if (isSo(answer)) return answer
      if (performance.now() > deadline)
        throw new Error(`It did not come to be within ${limitMs} ms; the last answer: ${JSON.stringify(answer)}`)
      await sleep(25)
    }
  }

  /** Waits until controllers no longer write an object: its version stays the same for a while. */
  async settled(kind: Kind, name: string): Promise<void> {
    let version = ''
    for (let quiet = 0; quiet < 4; quiet++) {
      const found = versionOf((await this.get(kind, name)).body)
      if (found !== version) quiet = 0
      version = found
      await sleep(20)
    }
  }

  /** Waits until an object is deleted. */
  async gone(kind: Kind, name: string, { limitMs, ...where }: Where & { limitMs?: number } = {}): Promise<void> {
    await this.eventually(
      () => this.get(kind, name, where),
      ({ status }) => status === 404,
      limitMs,
    )
  }

  close(): void {
    for (const close of this.#closing.splice(0)) close()
  }
}

/** Returns the object of a successful response; throws otherwise. */
export function taken({ status, body }: Answer): JsonObject {
  if (status >= 300 || !isJsonObject(body)) throw new Error(`Refused with ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Returns the value at a dotted path; list items by index: `spec.ports.0.name`. */
export function at(value: Json | undefined, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((inner, step) => {
    if (isJsonList(inner)) return inner[Number(step)]
    return isJsonObject(inner) ? own(inner, step) : undefined
  }, value)
}

export function textAt(value: Json | undefined, path: string): string {
  const found = at(value, path)
  if (typeof found !== 'string') throw new Error(`There is no text at ${path} of ${JSON.stringify(value)}`)
  return found
}

/** Returns the names of the items of a list, in order. */
export function namesOf(list: Json): string[] {
  const items = at(list, 'items')
  if (!isJsonList(items)) throw new Error(`This is no list: ${JSON.stringify(list)}`)
  return items.map((item) => textAt(item, 'metadata.name'))
}

export function versionOf(object: Json): string {
  return textAt(object, 'metadata.resourceVersion')
}

/** Returns the fields of each entry of managedFields, by `manager operation subresource`. */
export function recordsOf(object: Json): Record<string, Json | undefined> {
  const entries = at(object, 'metadata.managedFields') ?? []
  if (!isJsonList(entries)) throw new Error('managedFields is no list')
  return Object.fromEntries(
    entries.map((entry) => {
      const parts = [at(entry, 'manager'), at(entry, 'operation'), at(entry, 'subresource')]
      return [parts.filter((part) => part !== undefined).join(' '), at(entry, 'fieldsV1')]
    }),
  )
}
