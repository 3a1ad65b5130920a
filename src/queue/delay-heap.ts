// Keys by due time: a binary heap with the position of each key, so that a due time can change and a key can leave.
// Keys with the same due time leave in the order of their insertion. Put, pop and remove cost O(log n), look-ups O(1).

export interface Due<K extends string> {
  readonly key: K
  readonly dueMs: number
}

interface Slot<K extends string> extends Due<K> {
  readonly sequence: number
}

export class DelayHeap<K extends string> {
  /** Invariant: every slot is due no earlier than its parent, the one at (index - 1) / 2. */
  readonly #slots: Slot<K>[] = []
  /** The index of each key's slot. */
  readonly #indexes = new Map<K, number>()
  #sequence = 0

  get size(): number {
    return this.#slots.length
  }

  dueMsOf(key: K): number | undefined {
    return this.#slotOf(key)?.dueMs
  }

  /** Returns the key due first, without removing it. */
  peek(): Due<K> | undefined {
    return this.#slots[0]
  }

  /** Adds the key, or changes its due time. */
  put(key: K, dueMs: number): void {
    const slot = { key, dueMs, sequence: this.#sequence++ }
    this.#settle(this.#indexes.get(key) ?? this.#slots.length, slot)
  }

  /** Removes and returns the key due first. */
  pop(): Due<K> | undefined {
    const first = this.#slots[0]
    if (first !== undefined) this.remove(first.key)
    return first
  }

  /** Removes the key; false if it was absent. */
  remove(key: K): boolean {
    const index = this.#indexes.get(key)
    if (index === undefined) return false
    this.#indexes.delete(key)
    const last = this.#slots.pop()
    // The last slot fills the gap, unless it was the gap.
    if (last !== undefined && index < this.#slots.length) this.#settle(index, last)
    return true
  }

  clear(): void {
    this.#slots.length = 0
    this.#indexes.clear()
  }

  #slotOf(key: K): Slot<K> | undefined {
    const index = this.#indexes.get(key)
    return index === undefined ? undefined : this.#slots[index]
  }

  /**
   * Writes the slot at its position on the path through `index`: first up, while it is due before its parent, then
   * down.
   */
  #settle(index: number, slot: Slot<K>): void {
    let hole = index
    while (hole > 0) {
      const parentIndex = (hole - 1) >> 1
      const parent = this.#slots[parentIndex]
      if (parent === undefined || !isBefore(slot, parent)) break
      this.#write(hole, parent)
      hole = parentIndex
    }
    for (;;) {
      const childIndex = this.#earlierChild(hole)
      const child = this.#slots[childIndex]
      if (child === undefined || !isBefore(child, slot)) break
      this.#write(hole, child)
      hole = childIndex
    }
    this.#write(hole, slot)
  }

  #earlierChild(index: number): number {
    const left = 2 * index + 1
    const [leftSlot, rightSlot] = [this.#slots[left], this.#slots[left + 1]]
    return leftSlot !== undefined && rightSlot !== undefined && isBefore(rightSlot, leftSlot) ? left + 1 : left
  }

  #write(index: number, slot: Slot<K>): void {
    this.#slots[index] = slot
    this.#indexes.set(slot.key, index)
  }
}

function isBefore<K extends string>(left: Slot<K>, right: Slot<K>): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.sequence < right.sequence)
}
