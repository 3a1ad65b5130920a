// Who is next within one priority? First come, first served; a key may leave from anywhere. A doubly linked list, so that
// joining, leaving and being served cost O(1) and memory is bounded by the keys in line.

interface Place<K extends string> {
  readonly key: K
  ahead: Place<K> | undefined
  behind: Place<K> | undefined
}

export class ReadyLine<K extends string> {
  readonly #places = new Map<K, Place<K>>()
  #first: Place<K> | undefined
  #last: Place<K> | undefined

  get size(): number {
    return this.#places.size
  }

  get first(): K | undefined {
    return this.#first?.key
  }

  /** Joins at the end; a key that is in line keeps its place. */
  join(key: K): void {
    if (this.#places.has(key)) return
    const place: Place<K> = { key, ahead: this.#last, behind: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.behind = place
    this.#last = place
    this.#places.set(key, place)
  }

  /** Leaves the line; false if the key was not in it. */
  leave(key: K): boolean {
    const place = this.#places.get(key)
    if (place === undefined) return false
    this.#places.delete(key)
    if (place.ahead === undefined) this.#first = place.behind
    else place.ahead.behind = place.behind
    if (place.behind === undefined) this.#last = place.ahead
    else place.behind.ahead = place.ahead
    return true
  }

  clear(): void {
    this.#places.clear()
    this.#first = undefined
    this.#last = undefined
  }
}
