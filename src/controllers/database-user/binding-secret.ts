// Content of the Secret of a DatabaseUser: keys of the Service Binding specification and of PostgreSQL clients. It also
// has the state that a rotation needs after a crash. Pure. Source: servicebinding.io/spec/core/1.1.0, and libpq's
// connection URIs and password file.
import { createHash } from 'node:crypto'
import { type KubeObject, valueAt } from '../../index.ts'
import type { Credential, Held } from './rotation.ts'

/** Databases and server, as an application connects to them. */
export interface BindingTarget {
  readonly host: string
  readonly port: number
  readonly sslMode: string
  readonly ca?: string
  /** Names on the server; `database` and the URIs refer to the first one. */
  readonly databases: readonly string[]
}

/** Annotations of the operator on the Secret; none contains a secret. */
const marks = {
  hash: 'data.konverge.dev/secret-hash',
  rotatedAt: 'data.konverge.dev/rotated-at',
  generation: 'data.konverge.dev/password-generation',
  trigger: 'data.konverge.dev/rotation-trigger',
  source: 'data.konverge.dev/password-source',
  previous: 'data.konverge.dev/previous-username',
  previousUntil: 'data.konverge.dev/previous-until',
} as const

export const bindingSecretType = 'servicebinding.io/postgresql'

export interface BindingInput {
  readonly target: BindingTarget
  readonly held: Held
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /** Additional keys, in whose values `{{key}}` is replaced by the value of another key. */
  readonly template?: Readonly<Record<string, string>> | undefined
}

/** Size of the Secret's keys and values. */
export interface BindingSize {
  readonly bytes: number
  /** The key with the longest value. */
  readonly longest: { readonly key: string; readonly bytes: number; readonly isTemplate: boolean }
}

/**
 * Bytes. The API server accepts 1,048,576 bytes of values; the rest leaves room for annotations within the 1.5 MiB of
 * etcd.
 */
export const largestBinding = 1_000_000

export interface BindingManifest {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Base64, as in the API. */
  readonly data: Readonly<Record<string, string>>
}

export function bindingManifest({
  target,
  held,
  labels = {},
  annotations = {},
  template = {},
}: BindingInput): BindingManifest {
  const keys = bindingKeys(target, held)
  const further = furtherKeys(template).map(([key, text]) => [key, filledIn(text, keys)] as const)
  const all = { ...Object.fromEntries(further), ...keys }
  return {
    labels,
    annotations: { ...annotations, ...marksOf(held), [marks.hash]: hashOf(all) },
    data: Object.fromEntries(Object.entries(all).map(([key, text]) => [key, base64(text)])),
  }
}

/** Computed from lengths without filling templates: 400 placeholders in each of 32 keys may expand to gigabytes. */
export function bindingSize({ target, held, template = {} }: BindingInput): BindingSize {
  const keys = bindingKeys(target, held)
  const own = Object.entries(keys).map(([key, text]) => ({ key, bytes: Buffer.byteLength(text), isTemplate: false }))
  const lengths = new Map(own.map(({ key, bytes }) => [key, bytes]))
  const further = furtherKeys(template)
    .filter(([key]) => !lengths.has(key))
    .map(([key, text]) => ({ key, bytes: filledInBytes(text, lengths), isTemplate: true }))
  const all = [...own, ...further]
  return {
    bytes: all.reduce((sum, { key, bytes }) => sum + Buffer.byteLength(key) + bytes, 0),
    longest: all.reduce((longest, one) => (one.bytes > longest.bytes ? one : longest)),
  }
}

/** State that an earlier reconcile wrote; undefined if it is incomplete, so that a new password is needed. */
export function heldIn(secret: KubeObject): Held | undefined {
  const text = (key: string) => textIn(secret, key)
  const mark = (name: string) => {
    const value = valueAt(secret, 'metadata', 'annotations', name)
    return typeof value === 'string' ? value : undefined
  }
  const active = credentialIn(text, '')
  if (active === undefined) return undefined
  const next = credentialIn(text, '-next')
  const previous = mark(marks.previous)
  const untilMs = Date.parse(mark(marks.previousUntil) ?? '')
  const trigger = mark(marks.trigger)
  const rotatedAtMs = Date.parse(mark(marks.rotatedAt) ?? secret.metadata.creationTimestamp ?? '')
  return {
    active,
    ...(next === undefined ? {} : { next }),
    ...(previous === undefined || Number.isNaN(untilMs) ? {} : { previous: { username: previous, untilMs } }),
    rotatedAtMs: Number.isNaN(rotatedAtMs) ? 0 : rotatedAtMs,
    generation: Number(mark(marks.generation)) || 1,
    ...(trigger === undefined ? {} : { trigger }),
    source: mark(marks.source) === 'supplied' ? 'supplied' : 'generate',
  }
}

/** True if the Secret is unchanged since it was written. */
export function isUntouched(secret: KubeObject): boolean {
  const data = valueAt(secret, 'data')
  if (typeof data !== 'object' || data === null) return false
  const texts = Object.fromEntries(Object.keys(data).map((key) => [key, textIn(secret, key) ?? '']))
  return valueAt(secret, 'metadata', 'annotations', marks.hash) === hashOf(texts)
}

function bindingKeys(
  { host, port, sslMode, ca, databases }: BindingTarget,
  held: Held,
): Readonly<Record<string, string>> {
  const [database = ''] = databases
  const { username, password } = held.active
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const user = password === undefined ? encoded(username) : `${encoded(username)}:${encoded(password)}`
  const login = `user=${encoded(username)}${password === undefined ? '' : `&password=${encoded(password)}`}`
  return {
    type: 'postgresql',
    provider: 'konverge',
    host,
    port: String(port),
    database,
    sslmode: sslMode,
    uri: `postgresql://${user}@${place}/${encoded(database)}?sslmode=${sslMode}`,
    'jdbc-uri': `jdbc:postgresql://${place}/${encoded(database)}?${login}&sslmode=${sslMode}`,
    ...(password === undefined ? {} : { pgpass: passwordFile({ host, port, databases, username, password }) }),
    ...(ca === undefined ? {} : { 'ca.crt': ca }),
    ...credentialKeys(held.active, ''),
    ...(held.next === undefined ? {} : credentialKeys(held.next, '-next')),
  }
}

function credentialKeys({ username, password, verifier }: Credential, suffix: string): Record<string, string> {
  return {
    [`username${suffix}`]: username,
    ...(password === undefined ? {} : { [`password${suffix}`]: password }),
    [`verifier${suffix}`]: verifier,
  }
}

function credentialIn(text: (key: string) => string | undefined, suffix: string): Credential | undefined {
  const [username, password, verifier] = ['username', 'password', 'verifier'].map((key) => text(`${key}${suffix}`))
  if (username === undefined || verifier === undefined) return undefined
  return { username, verifier, ...(password === undefined ? {} : { password }) }
}

interface PasswordLines {
  readonly host: string
  readonly port: number
  readonly databases: readonly string[]
  readonly username: string
  readonly password: string
}

/** One line for each database; libpq requires `:` and `\` to be escaped. */
function passwordFile({ host, port, databases, username, password }: PasswordLines): string {
  const escaped = (text: string) => text.replaceAll(/[\\:]/g, '\\$&')
  const line = (database: string) => [host, String(port), database, username, password].map(escaped).join(':')
  return `${databases.map(line).join('\n')}\n`
}

/** Unambiguous: a name starts and ends with a character that is no space. */
const placeholder = /\{\{\s*([A-Za-z0-9._-]+)\s*\}\}/g

/** A placeholder without a key stays unchanged, so that the error is visible. */
function filledIn(text: string, keys: Readonly<Record<string, string>>): string {
  return text.replaceAll(placeholder, (whole, key: string) => (Object.hasOwn(keys, key) ? (keys[key] ?? whole) : whole))
}

/** Size in bytes of the result of `filledIn` for values of these lengths. */
function filledInBytes(text: string, lengths: ReadonlyMap<string, number>): number {
  let bytes = Buffer.byteLength(text)
  for (const [whole, key = ''] of text.matchAll(placeholder)) {
    const length = lengths.get(key)
    if (length !== undefined) bytes += length - Buffer.byteLength(whole)
  }
  return bytes
}

/** Keys that a rotation reads back, even if they are missing: a text of the spec must not count as a credential. */
const credentialNames = ['username', 'password', 'verifier'].flatMap((key) => [key, `${key}-next`])

function furtherKeys(template: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(template).filter(([key]) => !credentialNames.includes(key))
}

function marksOf({ rotatedAtMs, generation, trigger, source, previous }: Held): Record<string, string> {
  return {
    [marks.rotatedAt]: new Date(rotatedAtMs).toISOString(),
    [marks.generation]: String(generation),
    [marks.source]: source,
    ...(trigger === undefined ? {} : { [marks.trigger]: trigger }),
    ...(previous === undefined
      ? {}
      : { [marks.previous]: previous.username, [marks.previousUntil]: new Date(previous.untilMs).toISOString() }),
  }
}

/** Hash that changes with the content, for rollouts. It reveals nothing, because the content includes a random salt. */
function hashOf(texts: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(texts).sort(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32)
}

function textIn(secret: KubeObject, key: string): string | undefined {
  const value = valueAt(secret, 'data', key)
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : undefined
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

/** Encodes all characters but letters, digits and `-_.~`, so that the text is valid in each part of a URI. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
