// Typed reader of one object of a kubeconfig, key by key. Invariant: an error names the position and never quotes a
// value, because any value may be a credential (I11).
import { isAbsolute, join } from 'node:path'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { ConnectionError } from './connection-error.ts'

/** PEM text, or the path of the file that holds it. */
export type Pem = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'file'; readonly path: string }

/** Every reader throws ConnectionError `ConfigMalformed` if a value has another type. Empty text counts as absent. */
export class ConfigEntry {
  readonly object: JsonObject
  readonly #place: string
  readonly #folder: string | undefined

  constructor(object: JsonObject, place: string, folder: string | undefined) {
    this.object = object
    this.#place = place
    this.#folder = folder
  }

  value(key: string): Json | undefined {
    return own(this.object, key) ?? undefined
  }

  text(key: string): string | undefined {
    const value = this.value(key)
    if (value !== undefined && typeof value !== 'string') throw this.malformed(key, 'must be text; put it in quotes')
    return value === '' ? undefined : value
  }

  required(key: string): string {
    const text = this.text(key)
    if (text === undefined) throw this.malformed(key, 'is missing')
    return text
  }

  flag(key: string): boolean {
    const value = this.value(key)
    if (value !== undefined && typeof value !== 'boolean') throw this.malformed(key, 'must be true or false')
    return value === true
  }

  texts(key: string): readonly string[] {
    const value = this.value(key) ?? []
    if (!isJsonList(value) || !value.every((item) => typeof item === 'string')) {
      throw this.malformed(key, 'must be a list of texts; put each in quotes')
    }
    return value
  }

  list(key: string): readonly ConfigEntry[] {
    const value = this.value(key) ?? []
    if (!isJsonList(value)) throw this.malformed(key, 'must be a list')
    return value.map((item, index) => {
      if (!isJsonObject(item)) throw this.malformed(`${key}[${index}]`, 'must be an object')
      return new ConfigEntry(item, `${this.#place}: ${key}[${index}]`, this.#folder)
    })
  }

  child<T>(key: string, read: (child: ConfigEntry) => T): T | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (!isJsonObject(value)) throw this.malformed(key, 'must be an object')
    return read(new ConfigEntry(value, `${this.#place}: ${key}`, this.#folder))
  }

  /**
   * Returns the list at `plural` by name. The fields of an entry are one level down, at `singular`. The first entry of
   * a name wins.
   */
  named(plural: string, singular: string): ReadonlyMap<string, ConfigEntry> {
    const pairs = this.list(plural).map((item): [string, ConfigEntry] => {
      const name = item.required('name')
      const fields = item.child(singular, (child) => child.object) ?? {}
      return [name, new ConfigEntry(fields, `${this.#place}: ${singular} "${name}"`, this.#folder)]
    })
    return new Map(pairs.toReversed())
  }

  /** Returns a path, made absolute against the folder of the file. */
  path(key: string): string | undefined {
    const text = this.text(key)
    return text === undefined ? undefined : this.resolve(text)
  }

  resolve(path: string): string {
    return this.#folder === undefined || isAbsolute(path) ? path : join(this.#folder, path)
  }

  /** Returns `<key>-data`, which is PEM in base64, or else the path at `<key>`. */
  pem(key: string): Pem | undefined {
    const data = this.text(`${key}-data`)
    if (data !== undefined) return { kind: 'text', text: Buffer.from(data, 'base64').toString('utf8') }
    const path = this.path(key)
    return path === undefined ? undefined : { kind: 'file', path }
  }

  malformed(key: string, complaint: string): ConnectionError {
    return new ConnectionError('ConfigMalformed', `${this.#place}: "${key}" ${complaint}`)
  }
}
