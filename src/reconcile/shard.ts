// The share of one process in the resources of an operator. Resources are divided into 256 slots by a hash of their
// ApplySet id; a child has the slot of its parent.
// Invariant: a reconcile runs only while its slot is worked, and a slot is released only when none of its reconciles
// runs.
//
//   none ──fill──▶ filling ──work──▶ worked ──drain──▶ draining ──release──▶ none
//                     └──────────────drain───────────────▲
import { assert } from '../base/assert.ts'
import { hashOf } from '../base/text-hash.ts'
import { coOwnerController, coOwnersOf } from '../object/co-owner.ts'
import { partNamedBy } from '../object/identity.ts'
import type { LiveObject } from '../object/object.ts'
import type { Verdict } from '../queue/worker.ts'
import { applySetId, partOfAnnotation, partOfLabel } from '../synth/membership.ts'

/** A number from 0 to 255. */
export type Slot = number

/** Number of slots. It is part of the protocol, because all members of an operator must divide its resources alike. */
export const slotCount = 256

/** `filling`: the caches are being filled. `draining`: no reconcile begins, and running ones end. */
export type SlotState = 'filling' | 'worked' | 'draining'

interface HeldSlot {
  state: SlotState
  running: number
  readonly cut: AbortController
}

const settled: Verdict = { kind: 'settled' }

export class Shard {
  readonly #slots = new Map<Slot, HeldSlot>()
  readonly #onIdle = new Set<() => void>()

  /** True if the process caches the parent of this ApplySet and its children. */
  keeps(set: string): boolean {
    return this.#slots.has(slotOf(set))
  }

  /** True if the child belongs to an ApplySet that `keeps` accepts, by its own metadata; without any, false. */
  readonly keepsChild = (child: LiveObject): boolean => {
    const { labels, annotations, namespace } = child.metadata
    const set = labels?.[partOfLabel] ?? annotations?.[partOfAnnotation]
    if (set !== undefined) return this.keeps(set)
    return coOwnersOf(child).some(({ apiVersion, kind, name, uid }) => {
      const owner = { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace } }
      return this.keeps(applySetId(owner, partNamedBy(coOwnerController(child, uid))))
    })
  }

  /** True if a reconcile of the parent of this ApplySet may begin. */
  works(set: string): boolean {
    return this.#slots.get(slotOf(set))?.state === 'worked'
  }

  /** Returns the slots in one of these states, in order. */
  slotsIn(...states: readonly SlotState[]): readonly Slot[] {
    const found = [...this.#slots].filter(([, { state }]) => states.includes(state))
    return found.map(([slot]) => slot).sort((left, right) => left - right)
  }

  /** Takes slots whose objects are not cached yet. */
  fill(slots: readonly Slot[]): void {
    for (const slot of slots) {
      assert(!this.#slots.has(slot), 'a slot is taken once')
      this.#slots.set(slot, { state: 'filling', running: 0, cut: new AbortController() })
    }
  }

  /** Starts reconciles of these slots: their objects are cached. */
  work(slots: readonly Slot[]): void {
    for (const slot of slots) this.#held(slot).state = 'worked'
  }

  /** Starts no more reconciles of these slots. */
  drain(slots: readonly Slot[]): void {
    for (const slot of slots) this.#held(slot).state = 'draining'
  }

  /** Aborts the reconciles of these slots; true if there were any. */
  cut(slots: readonly Slot[]): boolean {
    const running = slots.map((slot) => this.#held(slot)).filter((held) => held.running > 0)
    for (const { cut } of running) cut.abort(new DOMException('another process takes the resource', 'AbortError'))
    return running.length > 0
  }

  /** Resolves when no reconcile of these slots runs. They must be draining, or it may never resolve. */
  whenIdle(slots: readonly Slot[]): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (slots.some((slot) => (this.#slots.get(slot)?.running ?? 0) > 0)) return
        this.#onIdle.delete(look)
        resolve()
      }
      this.#onIdle.add(look)
      look()
    })
  }

  /** Releases the slots, so that another process may take them. */
  release(slots: readonly Slot[]): void {
    for (const slot of slots) {
      assert(this.#held(slot).state === 'draining' && this.#held(slot).running === 0, 'a slot is drained first')
      this.#slots.delete(slot)
    }
  }

  /**
   * Runs a reconcile of the parent of this ApplySet if its slot is worked. The signal aborts with the caller's, or when
   * `cut` is called for the slot.
   */
  run(set: string, reconcile: (signal: AbortSignal) => Promise<Verdict>, signal: AbortSignal): Promise<Verdict> {
    const held = this.#slots.get(slotOf(set))
    if (held?.state !== 'worked') return Promise.resolve(settled)
    held.running += 1
    const end = () => {
      held.running -= 1
      if (held.running === 0) for (const look of [...this.#onIdle]) look()
    }
    return reconcile(AbortSignal.any([signal, held.cut.signal]))
      .catch((thrown: unknown) => {
        // The process that takes the resource reconciles it again.
        if (held.cut.signal.aborted) return settled
        throw thrown
      })
      .finally(end)
  }

  #held(slot: Slot): HeldSlot {
    const held = this.#slots.get(slot)
    assert(held !== undefined, 'the slot is held')
    return held
  }
}

/** Returns the slot of an ApplySet, by the id of its parent. */
export function slotOf(set: string): Slot {
  return hashOf(set) % slotCount
}
