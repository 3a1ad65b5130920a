// Canonical form of responses, by which two servers are compared. It renames values that must differ: uids and
// generated names by first
// occurrence, versions by rank, times, list tokens by content. Pure.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../src/base/json.ts'
import { parseWireJson, WireJsonError } from '../../../src/base/wire-json.ts'
import { withoutKnownDifferences } from './known-differences.ts'
import type { Reply } from './script.ts'

const comparedHeaders = ['content-type', 'retry-after', 'warning']

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const time = /\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z/g
/** Go names a scheme after its position in the source, which depends on the build. */
const scheme = /in scheme (\\?")[^"\\]+\1/g
/** An apply with several unknown fields reports a random one. */
const undeclared = /(^|[ \n])\.[^\n]*?: field not declared in schema/g
/** Random cluster IPs of Services. */
const address = /\b10\.96\.[0-9]{1,3}\.[0-9]{1,3}\b/g
const age = /^[0-9]+s$/
const versionInText =
  /(resource version: |ResourceVersion in record \(|current: |\(|"?resourceVersion\\?":\\?")([1-9][0-9]*)(?=[)\\", ]|$)/g

/** Values from the script itself, which stay: given uids and times. */
export interface CanonicalOptions {
  readonly namespace: string
  /** The requests as text. */
  readonly script: string
}

/** Returns all replies of one script in a form that is equal for equivalent servers. */
export function canonical(replies: readonly Reply[], options: CanonicalOptions): Json[] {
  const names = new Renamer(replies, options)
  return replies.map(({ answer, events, isSettled = false }) => ({
    status: answer.status,
    headers: Object.fromEntries(
      comparedHeaders.flatMap((name) => {
        const value = answer.headers[name]
        return value === undefined ? [] : [[name, names.text(value)]]
      }),
    ),
    body: isSettled ? withoutVersions(names.value(answer.body)) : names.value(answer.body),
    ...(events === undefined
      ? {}
      : {
          events: events
            .filter(({ type, object }) => type !== 'BOOKMARK' || isEndOfInitialEvents(object))
            .map(({ type, object }) => ({ type, object: names.value(object) })),
        }),
  }))
}

function withoutVersions(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutVersions)
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'resourceVersion')
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutVersions(field ?? null)]))
}

/** Other bookmarks depend on elapsed time, not on the script. */
function isEndOfInitialEvents(object: JsonObject): boolean {
  const metadata = own(object, 'metadata')
  return isJsonObject(metadata) && isJsonObject(own(metadata, 'annotations') ?? null)
}

/**
 * Go iterates over maps in random order, and so are the errors in the message of a Status. They equal the causes; here
 * they are sorted
 * alphabetically.
 */
export function withErrorsInOrder(status: JsonObject): JsonObject {
  const { message, details } = status
  if (typeof message === 'string' && message.includes('errors:\n  '))
    return { ...status, message: withLinesInOrder(message) }
  if (typeof message !== 'string' || !isJsonObject(details) || !isJsonList(details['causes'])) return status
  const texts = details['causes'].flatMap((cause) =>
    isJsonObject(cause) ? [`${String(cause['field'])}: ${String(cause['message'])}`] : [],
  )
  const errors = [...new Set(texts)]
  const begin = message.indexOf('is invalid: [')
  if (begin < 0 || !message.endsWith(']')) return status
  const listed = message.slice(begin + 'is invalid: ['.length, -1)
  if (listed.length !== errors.join(', ').length || !errors.every((text) => listed.includes(text))) return status
  return { ...status, message: `${message.slice(0, begin)}is invalid: [${errors.sort().join(', ')}]` }
}

/** Replaces the ages in the rows of a table by one constant word. */
function withoutAges(table: JsonObject): JsonObject {
  const { rows } = table
  if (!isJsonList(rows)) return table
  const timeless = (cell: Json): Json => (typeof cell === 'string' && age.test(cell) ? '<age>' : cell)
  return {
    ...table,
    rows: rows.map((row) =>
      isJsonObject(row) && isJsonList(row['cells']) ? { ...row, cells: row['cells'].map(timeless) } : row,
    ),
  }
}

/**
 * Sorts the errors of an applied object's fields, one per line. After an unknown field the server reports no further
 * ones.
 */
function withLinesInOrder(message: string): string {
  const [head = '', ...lines] = message.split('\n  ')
  const unknown = lines.find((line) => line.endsWith(': field not declared in schema'))
  return unknown === undefined ? [head, ...lines.sort()].join('\n  ') : `${head.replace(/errors:$/, '')}${unknown}`
}

class Renamer {
  readonly #options: CanonicalOptions
  readonly #uids = new Map<string, string>()
  readonly #addresses = new Map<string, string>()
  readonly #generated = new Map<string, string>()
  /** Versions of all objects, in order. */
  readonly #versions: readonly bigint[]

  constructor(replies: readonly Reply[], options: CanonicalOptions) {
    this.#options = options
    const versions = new Set<bigint>()
    const visit = (value: Json | undefined): void => {
      if (isJsonList(value)) for (const item of value) visit(item)
      if (!isJsonObject(value)) return
      const metadata = own(value, 'metadata')
      if (isJsonObject(metadata) && typeof own(metadata, 'uid') === 'string') {
        const { resourceVersion, name, generateName } = metadata
        if (typeof resourceVersion === 'string' && /^[0-9]+$/.test(resourceVersion))
          versions.add(BigInt(resourceVersion))
        if (typeof name === 'string' && typeof generateName === 'string') this.#learnName(name, generateName)
      }
      const items = own(value, 'items')
      if (isJsonList(items)) visit(items)
    }
    for (const { answer, events = [] } of replies) {
      visit(answer.body)
      for (const { object } of events) visit(object)
    }
    this.#versions = [...versions].sort((left, right) => (left < right ? -1 : 1))
  }

  value(given: Json | undefined): Json {
    if (typeof given === 'string') return this.text(given)
    if (isJsonList(given)) return given.map((item) => this.value(item))
    if (!isJsonObject(given)) return given ?? null
    const value =
      given['kind'] === 'Status' ? withErrorsInOrder(given) : given['kind'] === 'Table' ? withoutAges(given) : given
    return Object.fromEntries(
      Object.entries(value)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, field]) => [this.text(key), this.#field(key, field)]),
    )
  }

  text(text: string): string {
    let found = text.replaceAll(this.#options.namespace, '<namespace>')
    for (const [name, renamed] of this.#generated) found = found.replaceAll(name, renamed)
    return withoutKnownDifferences(found)
      .replaceAll(scheme, 'in scheme $1<scheme>$1')
      .replaceAll(undeclared, '$1<path>: field not declared in schema')
      .replaceAll(uuid, (uid) => (this.#options.script.includes(uid) ? uid : this.#uid(uid)))
      .replaceAll(address, (given) => this.#address(given))
      .replaceAll(time, (moment) => (this.#options.script.includes(moment) ? moment : '<time>'))
      .replaceAll(versionInText, (_, before: string, version: string) => `${before}${this.#version(version)}`)
  }

  #field(key: string, value: Json | undefined): Json {
    if (key === 'resourceVersion' && typeof value === 'string') return this.#version(value)
    if (key === 'continue' && typeof value === 'string') return this.#token(value)
    // Entries of managedFields are in the order of their times, which differ between two runs.
    if ((key === 'managedFields' || key === 'causes') && isJsonList(value)) return this.#sorted(value)
    return this.value(value)
  }

  #sorted(items: readonly Json[]): Json {
    const keyed = items.map((item) => this.value(item)).map((item) => ({ key: JSON.stringify(item), item }))
    return keyed.sort((left, right) => (left.key < right.key ? -1 : 1)).map(({ item }) => item)
  }

  /**
   * Returns the rank among the versions of the script's objects; a version between two of them counts as the older one.
   */
  #version(version: string): string {
    if (!/^[1-9][0-9]*$/.test(version) || this.#options.script.includes(`"resourceVersion":"${version}"`))
      return version
    const wanted = BigInt(version)
    return `<version ${this.#versions.filter((known) => known <= wanted).length}>`
  }

  #uid(uid: string): string {
    const known = this.#uids.get(uid) ?? `<uid ${this.#uids.size + 1}>`
    this.#uids.set(uid, known)
    return known
  }

  #address(given: string): string {
    const known = this.#addresses.get(given) ?? `<address ${this.#addresses.size + 1}>`
    this.#addresses.set(given, known)
    return known
  }

  #learnName(name: string, prefix: string): void {
    if (!name.startsWith(prefix) || name.length !== prefix.length + 5 || this.#generated.has(name)) return
    this.#generated.set(name, `${prefix}<${this.#generated.size + 1}>`)
  }

  #token(token: string): Json {
    try {
      const { value } = parseWireJson(Buffer.from(token, 'base64url').toString('utf8'))
      if (!isJsonObject(value)) return token
      const { rv, ...rest } = value
      return { ...(this.value(rest) as JsonObject), rv: this.#version(String(rv)) } // `value` keeps the shape.
    } catch (thrown) {
      if (thrown instanceof WireJsonError) return token
      throw thrown
    }
  }
}
