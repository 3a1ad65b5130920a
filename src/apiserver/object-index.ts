// Indexes of the object log: by controlling owner, by label, by the selector of the object, and more.
// Cost: a lookup depends on the number of matches, not on the size of the namespace.
import type { JsonObject } from '../base/json.ts'
import { mapAt, structAt, textAt } from './built-in/field-walk.ts'
import { takenBy } from './built-in/service-allocation.ts'
import { labelsOf } from './metadata.ts'
import { keyOf, type LogEntry, type ObjectLog, type Place, type StorageShelf } from './object-log.ts'
import { ownersOf } from './owner-references.ts'

/** Lookup term. Labels and selectors apply within one namespace. */
export type Term =
  /** Uid of the controlling owner. */
  | { readonly controller: string }
  | { readonly label: string; readonly value: string; readonly namespace: string }
  /**
   * Objects whose selector contains this pair, possibly among others. Undefined: objects whose selector has no pairs.
   */
  | { readonly asksFor: readonly [label: string, value: string] | undefined; readonly namespace: string }
  /** Volumes reserved for a claim, by the claim's key; '' for unreserved volumes. */
  | { readonly claim: string }
  /** Services that have allocated this address or node port. */
  | { readonly taken: string }

export class ObjectIndex {
  readonly #log: ObjectLog
  readonly #shelves = new Map<StorageShelf, ShelfIndex>()

  /** Must be constructed before any listener of the log that queries it, so that it sees each commit first. */
  constructor(log: ObjectLog) {
    this.#log = log
    log.listen((entry) => this.#shelves.get(entry.place.shelf)?.follow(entry))
  }

  /** Returns the matching locations, ordered by name. The first query of a shelf indexes it. */
  places(shelf: StorageShelf, term: Term): readonly Place[] {
    return this.#indexOf(shelf).places(termText(term))
  }

  /** Returns whether an object matches, in constant time. */
  has(shelf: StorageShelf, term: Term): boolean {
    return this.#indexOf(shelf).has(termText(term))
  }

  #indexOf(shelf: StorageShelf): ShelfIndex {
    const known = this.#shelves.get(shelf)
    if (known !== undefined) return known
    const index = new ShelfIndex()
    for (const { place, object } of this.#log.list(shelf)) index.add(place, object)
    this.#shelves.set(shelf, index)
    return index
  }
}

class ShelfIndex {
  /** Locations by term and key. */
  readonly #places = new Map<string, Map<string, Place>>()

  places(term: string): readonly Place[] {
    const found = this.#places.get(term)
    if (found === undefined) return []
    return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, place]) => place)
  }

  has(term: string): boolean {
    return this.#places.has(term)
  }

  follow({ kind, place, before, now }: LogEntry): void {
    if (before !== undefined) this.#remove(place, before.object)
    if (kind !== 'deleted') this.add(place, now.object)
  }

  add(place: Place, object: JsonObject): void {
    for (const term of termsOf(place, object)) {
      const places = this.#places.get(term) ?? new Map<string, Place>()
      this.#places.set(term, places.set(keyOf(place), place))
    }
  }

  #remove(place: Place, object: JsonObject): void {
    for (const term of termsOf(place, object)) {
      const places = this.#places.get(term)
      places?.delete(keyOf(place))
      if (places?.size === 0) this.#places.delete(term)
    }
  }
}

function termsOf({ shelf, namespace }: Place, object: JsonObject): readonly string[] {
  const controller = ownersOf(object).find(({ isController }) => isController)
  const spec = structAt(object, 'spec')
  const selector = structAt(spec, 'selector')
  const terms: readonly Term[] = [
    ...(controller === undefined ? [] : [{ controller: controller.uid }]),
    ...Object.entries(labelsOf(object)).map(([label, value]) => ({ label, value, namespace })),
    ...(selector === undefined ? [] : [{ asksFor: pairsOf(selector)[0], namespace }]),
    ...(shelf === 'services' ? takenBy(object).map((taken) => ({ taken })) : []),
    ...(shelf === 'persistentvolumes' ? [{ claim: claimKey(structAt(spec, 'claimRef')) }] : []),
  ]
  return terms.map(termText)
}

/** Returns the label pairs of a LabelSelector, or of a plain map as in a Service. */
export function pairsOf(selector: JsonObject): readonly (readonly [label: string, value: string])[] {
  const isPlain = !Object.values(selector).some((value) => typeof value === 'object')
  const pairs = Object.entries(isPlain ? selector : mapAt(selector, 'matchLabels'))
  return pairs.flatMap(([label, value]) => (typeof value === 'string' ? [[label, value] as const] : []))
}

function claimKey(reference: JsonObject | undefined): string {
  return reference === undefined ? '' : `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`
}

/** Formats a term. A blank separates its parts, because names and labels contain none. */
function termText(term: Term): string {
  if ('controller' in term) return `controller ${term.controller}`
  if ('claim' in term) return `claim ${term.claim}`
  if ('taken' in term) return `taken ${term.taken}`
  if ('label' in term) return `label ${term.namespace} ${term.label} ${term.value}`
  return `asks ${term.namespace} ${term.asksFor?.join(' ') ?? ''}`
}
