// Which objects does a controller have to look at? Those of one controlling owner, those with a label, those whose selector may choose a label: found without
// going through a namespace, so that an event costs what it concerns and not what there is.
import type { JsonObject } from '../base/json.ts'
import { mapAt, structAt, textAt } from './built-in/field-walk.ts'
import { takenBy } from './built-in/service-allocation.ts'
import { labelsOf } from './metadata.ts'
import { keyOf, type LogEntry, type ObjectLog, type Place, type Shelf } from './object-log.ts'
import { ownersOf } from './owner-references.ts'

/** What objects are looked for by; labels are of one namespace. */
export type Term =
  /** The uid of the owner that controls them. */
  | { readonly controller: string }
  | { readonly label: string; readonly value: string; readonly namespace: string }
  /** Their selector asks for this pair, and perhaps for more; without one: it asks for no pair at all. */
  | { readonly asksFor: readonly [label: string, value: string] | undefined; readonly namespace: string }
  /** Volumes that are kept for a claim, by its key; '' for none. */
  | { readonly claim: string }
  /** Services that have this address, or this port of the nodes. */
  | { readonly taken: string }

export class ObjectIndex {
  readonly #log: ObjectLog
  readonly #shelves = new Map<Shelf, ShelfIndex>()

  /** Must be made before whoever asks it when a commit is heard of. */
  constructor(log: ObjectLog) {
    this.#log = log
    log.listen((entry) => this.#shelves.get(entry.place.shelf)?.follow(entry))
  }

  /** In the order of their names. A shelf is indexed from the first question on. */
  places(shelf: Shelf, term: Term): readonly Place[] {
    return this.#indexOf(shelf).places(termText(term))
  }

  /** Is there any? It costs the same however many there are. */
  has(shelf: Shelf, term: Term): boolean {
    return this.#indexOf(shelf).has(termText(term))
  }

  #indexOf(shelf: Shelf): ShelfIndex {
    const known = this.#shelves.get(shelf)
    if (known !== undefined) return known
    const index = new ShelfIndex()
    for (const { place, object } of this.#log.list(shelf)) index.add(place, object)
    this.#shelves.set(shelf, index)
    return index
  }
}

class ShelfIndex {
  /** Places by term, and by key within. */
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

/** The labels that a selector asks for, of a LabelSelector or of a plain map as a Service has it. */
export function pairsOf(selector: JsonObject): readonly (readonly [label: string, value: string])[] {
  const isPlain = !Object.values(selector).some((value) => typeof value === 'object')
  const pairs = Object.entries(isPlain ? selector : mapAt(selector, 'matchLabels'))
  return pairs.flatMap(([label, value]) => (typeof value === 'string' ? [[label, value] as const] : []))
}

function claimKey(reference: JsonObject | undefined): string {
  return reference === undefined ? '' : `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`
}

/** Neither names nor labels hold a blank. */
function termText(term: Term): string {
  if ('controller' in term) return `controller ${term.controller}`
  if ('claim' in term) return `claim ${term.claim}`
  if ('taken' in term) return `taken ${term.taken}`
  if ('label' in term) return `label ${term.namespace} ${term.label} ${term.value}`
  return `asks ${term.namespace} ${term.asksFor?.join(' ') ?? ''}`
}
