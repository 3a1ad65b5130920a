// Text of a change for people: one short line each. Invariant: no line contains a secret value (I11). Masking depends
// on the kind, the path and the name, and masks too much rather than too little.
import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { wireJson } from '../base/wire-json.ts'
import { asJson, type KubeObject } from '../object/object.ts'
import type { Change } from './compare.ts'
import { type FieldPath, fieldElement, indexElement, type PathElement, renderPath, valueAtPath } from './field-path.ts'

export interface DescribeOptions {
  /** Number of lines; the last one counts the remaining changes. */
  readonly limit: number
  /** Characters for the values of a line. Default: 80. At most 1,000. */
  readonly width?: number
  /** Further paths whose values are hidden, e.g. those that a construct marked. */
  readonly isSensitive?: (path: FieldPath) => boolean
}

/**
 * Returns one line for each change of `object`, the desired one: the item before an argument tells whether the argument
 * is a secret.
 *
 * @example describeChanges(statefulSet, changes, { limit: 5 }) // ['spec.replicas: 3 → 5', 'spec.paused: true →
 * removed']
 */
export function describeChanges(
  object: KubeObject,
  changes: readonly Change[],
  { limit, width = maxValueWidth, isSensitive = () => false }: DescribeOptions,
): string[] {
  const mask = new Mask(object, isSensitive)
  if (changes.length <= limit) return changes.map((change) => describe(change, mask, width))
  const shown = changes.slice(0, Math.max(0, limit - 1)).map((change) => describe(change, mask, width))
  return [...shown, `and ${changes.length - shown.length} more`]
}

/** Space for both values of a line, in characters. */
const maxValueWidth = 80

const hidden = '(secret)'

function describe(change: Change, mask: Mask, width: number): string {
  const { kind, desired, live } = change
  const path = mask.path(change.path)
  if (mask.hides(change.path, [desired, live])) return `${path}: ${hidden} ${pastOf(change)}`
  const show = (value: Json | undefined, most: number): string => cut(mask.text(value, change.path), most)
  const half = width / 2
  switch (kind) {
    case 'add':
      if (live === undefined) return `${path}: added ${show(desired, width)}`
      if (canonicalJson(live) === canonicalJson(desired)) return `${path}: taken over as ${show(live, width)}`
      return `${path}: ${show(live, half)} → ${show(desired, half)}`
    case 'change':
      return `${path}: ${show(live, half)} → ${show(desired, half)}`
    case 'remove':
      return `${path}: ${live === undefined ? '' : `${show(live, width)} → `}removed`
    case 'reorder':
      return `${path}: order ${show(live, half)} → ${show(desired, half)}`
  }
}

function pastOf({ kind, live }: Change): string {
  if (kind === 'add') return live === undefined ? 'added' : 'changed'
  return { change: 'changed', remove: 'removed', reorder: 'reordered' }[kind]
}

/** Names of secrets: whole names for fields, any part of the name for environment variables and keys. */
const secretField =
  /(password|passwd|passphrase|token|secret|credentials?|(private|api|access|secret|encryption)[-_.]?key)$/i
const secretVariable = /pass|pwd|token|secret|key|credential|auth/i
/** An argument that is followed by a secret as a separate argument, e.g. `--password`. */
const secretFlag = /^-.*(password|passwd|passphrase|token|secret|credentials?|key)$/i
/**
 * Secrets inside text: `password=x`, `"token": "x"`, `Bearer x`, the password of a URL. All parts are bounded in
 * length.
 */
const secretAssignment =
  /((?:password|passwd|passphrase|token|secret|credential|api-?key|bearer)[\w.-]{0,40}["']?\s{0,4}[=: ]\s{0,4})("[^"]*"?|'[^']*'?|[^\s"',;&]+)/gi
const secretInUrl = /(:\/\/[^/\s:@]*:)[^/\s]*@/g
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/
/** Characters of a text that are searched; far more than are ever shown. */
const maxRead = 1_000

/** The visible parts of one object. */
class Mask {
  readonly #object: JsonObject
  readonly #isSecret: boolean
  readonly #isSensitive: (path: FieldPath) => boolean

  constructor(object: KubeObject, isSensitive: (path: FieldPath) => boolean) {
    this.#object = asJson(object)
    this.#isSecret = object.apiVersion === 'v1' && object.kind === 'Secret'
    this.#isSensitive = isSensitive
  }

  /** True if everything at and below the path is hidden. A boolean field is not hidden by its name alone. */
  hides(path: FieldPath, values: readonly (Json | undefined)[]): boolean {
    const first = path[0]
    if (this.#isSecret && first?.kind === 'field' && (first.name === 'data' || first.name === 'stringData')) return true
    if (this.#followsSecretFlag(path)) return true
    const isSwitch = values.length > 0 && values.every((value) => value === undefined || typeof value === 'boolean')
    return path.some(
      (element, depth) =>
        this.#isSensitive(path.slice(0, depth + 1)) || (!isSwitch && isSecretStep(element, path.slice(0, depth))),
    )
  }

  /** Returns the path, without secret members of sets. */
  path(path: FieldPath): string {
    return renderPath(
      path.map((element) =>
        element.kind === 'value' && this.hides(path, []) ? { kind: 'value', value: hidden } : element,
      ),
    )
  }

  /** Returns the value as compact JSON, with hidden parts replaced. */
  text(value: Json | undefined, path: FieldPath): string {
    return value === undefined ? 'nothing' : wireJson(this.#masked(value, path))
  }

  #followsSecretFlag(path: FieldPath): boolean {
    const last = path.at(-1)
    if (last?.kind !== 'index' || last.index === 0) return false
    return isSecretFlag(valueAtPath(this.#object, [...path.slice(0, -1), indexElement(last.index - 1)]))
  }

  #masked(value: Json, path: FieldPath): Json {
    if (this.hides(path, [value])) return hidden
    if (typeof value === 'string') return maskedText(value)
    if (isJsonList(value)) {
      return value.map((item, index) =>
        isSecretFlag(value[index - 1]) ? hidden : this.#masked(item, [...path, itemElement(item, index)]),
      )
    }
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        field === undefined ? null : this.#masked(field, [...path, fieldElement(name)]),
      ]),
    )
  }
}

/**
 * True if the step leads to a secret: a field with such a name, the value of such a variable, or kubectl's last-applied
 * annotation.
 */
function isSecretStep(element: PathElement, above: FieldPath): boolean {
  if (element.kind !== 'field') return false
  const parent = above.at(-1)
  if (element.name === 'value' && parent?.kind === 'key')
    return secretVariable.test(String(own(parent.key, 'name') ?? ''))
  return element.name === 'kubectl.kubernetes.io/last-applied-configuration' || secretField.test(element.name)
}

function isSecretFlag(value: Json | undefined): boolean {
  return typeof value === 'string' && value.length < maxRead && secretFlag.test(value)
}

function maskedText(text: string): string {
  const read = text.slice(0, maxRead)
  if (privateKey.test(read)) return hidden
  return read.replace(secretAssignment, `$1${hidden}`).replace(secretInUrl, `$1${hidden}@`)
}

/** A list item with a name is identified by it, so that a variable is recognised in a list that is shown whole. */
function itemElement(item: Json, index: number): PathElement {
  const name = isJsonObject(item) ? own(item, 'name') : undefined
  return typeof name === 'string' ? { kind: 'key', key: { name } } : indexElement(index)
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}
