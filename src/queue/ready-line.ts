// Waiting keys of one group, served in the order of arrival; a key may leave at any position. A doubly linked list:
// joining, leaving and serving cost O(1), and memory is bounded by the number of waiting keys.

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

  /** Adds the key at the end; a waiting key keeps its position. */
  join(key: K): void {
    if (this.#places.has(key)) return
    const place: Place<K> = { key, ahead: this.#last, behind: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.behind = place
    this.#last = place
    this.#places.set(key, place)
  }

  /** Removes the key; false if it was not waiting. */
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
