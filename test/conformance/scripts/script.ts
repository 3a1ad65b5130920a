// Scripts: requests that two servers answer independently. Values from responses (a uid, a version, a token) go into
// later requests by
// placeholders, filled from the same server's responses.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../src/base/json.ts'
import type { Answer, Ask } from '../server-under-test.ts'
import type { WatchEvent } from '../watch-reader.ts'

/** Feature of a script; agreement is counted by it. */
export type Family = 'apply' | 'list' | 'watch' | 'patch' | 'update' | 'delete' | 'schema' | 'error' | 'built-in'

/**
 * `ask` is a single request. `watch` is read until it is quiet. `settle` waits until controllers stop changing the
 * objects of a list, and
 * then lists them; `serve` waits until a path is served.
 */
export interface Step {
  readonly kind: 'ask' | 'watch' | 'settle' | 'serve'
  readonly ask: Ask
}

export interface Script {
  readonly family: Family
  readonly steps: readonly Step[]
}

/** Response of one server to one step. */
export interface Reply {
  readonly answer: Answer
  readonly events?: readonly WatchEvent[]
  /** True if controllers wrote these objects in a random order, so that their versions are not comparable. */
  readonly isSettled?: boolean
}

/** Values of the objects seen so far, by name, for the placeholders. */
export class Memory {
  readonly #namespace: string
  readonly #values = new Map<string, string>()

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  /**
   * Returns the request with its placeholders filled: `{{namespace}}`, `{{continue}}`, and for an object `a`
   * `{{uid:a}}`, `{{rv:a}}` (the
   * newest version seen) and `{{old:a}}` (the first).
   */
  fill(ask: Ask): Ask {
    return filledIn(ask as unknown as Json, (text) => this.#filled(text)) as unknown as Ask // The same shape.
  }

  /** Records the values of a response, including lists and watch events. */
  learn({ answer, events = [] }: Reply): void {
    this.#learn(answer.body)
    for (const { object } of events) this.#learn(object)
  }

  #learn(value: Json): void {
    if (!isJsonObject(value)) return
    const items = own(value, 'items')
    if (isJsonList(items)) for (const item of items) this.#learn(item)
    const metadata = own(value, 'metadata')
    if (!isJsonObject(metadata)) return
    const { name, uid, resourceVersion, continue: token } = metadata
    if (typeof token === 'string' && token !== '') this.#values.set('continue', token)
    if (typeof name !== 'string') return
    if (typeof uid === 'string') this.#values.set(`uid:${name}`, uid)
    if (typeof resourceVersion !== 'string') return
    this.#values.set(`rv:${name}`, resourceVersion)
    if (!this.#values.has(`old:${name}`)) this.#values.set(`old:${name}`, resourceVersion)
  }

  #filled(text: string): string {
    return text.replaceAll(/\{\{([^}]+)\}\}/g, (_, key: string) => {
      if (key === 'namespace') return this.#namespace
      return this.#values.get(key) ?? fallbacks[key.split(':')[0] ?? ''] ?? 'unseen'
    })
  }
}

/** Values for objects that have not been seen. */
const fallbacks: Readonly<Record<string, string>> = {
  uid: '00000000-0000-4000-8000-00000000dead',
  rv: '0',
  old: '0',
}

function filledIn(value: Json | undefined, fill: (text: string) => string): Json | undefined {
  if (typeof value === 'string') return fill(value)
  if (isJsonList(value)) return value.map((item) => filledIn(item, fill) ?? null)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [fill(key), filledIn(field, fill)]),
  ) satisfies JsonObject
}

/** Returns the verb by which agreement is counted: the method, or a finer name if the method has several meanings. */
export function verbOf({ kind, ask }: Step): string {
  if (kind !== 'ask') return kind
  const type = ask.headers?.['content-type'] ?? ''
  if (ask.method === 'PATCH') return `patch ${type.replace('application/', '').replace(/-patch\+.*$/, '')}`
  if (ask.method !== 'GET') return { POST: 'create', PUT: 'update', DELETE: 'delete' }[ask.method as string] ?? 'other'
  return /\/(widgets|configmaps|secrets|things|pods|services|jobs|deployments|statefulsets)$/.test(ask.path)
    ? 'list'
    : 'get'
}
