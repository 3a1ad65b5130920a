// The share of one process in the resources of an operator. Resources are divided into 256 slots by a hash of the id of
// their ApplySet; a child has the slot of its parent. Invariant: a reconcile runs only while its slot is worked, and a slot is released only when none of its reconciles
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

/** All members of an operator must divide its resources alike: to change the number is to change the protocol. */
export const slotCount = 256

/** `filling`: the caches are being filled with its objects. `draining`: no reconcile begins, and those that run end. */
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

  /** Are the parent of this ApplySet and its children among the objects that the process keeps in memory? */
  keeps(set: string): boolean {
    return this.#slots.has(slotOf(set))
  }

  /** Is this child one of an ApplySet that `keeps` accepts? The child says whose it is; without a word of it the answer is no. */
  readonly keepsChild = (child: LiveObject): boolean => {
    const { labels, annotations, namespace } = child.metadata
    const set = labels?.[partOfLabel] ?? annotations?.[partOfAnnotation]
    if (set !== undefined) return this.keeps(set)
    return coOwnersOf(child).some(({ apiVersion, kind, name, uid }) => {
      const owner = { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace } }
      return this.keeps(applySetId(owner, partNamedBy(coOwnerController(child, uid))))
    })
  }

  /** May a reconcile of the parent of this ApplySet begin? */
  works(set: string): boolean {
    return this.#slots.get(slotOf(set))?.state === 'worked'
  }

  /** The slots in one of these states, in order. */
  slotsIn(...states: readonly SlotState[]): readonly Slot[] {
    const found = [...this.#slots].filter(([, { state }]) => states.includes(state))
    return found.map(([slot]) => slot).sort((left, right) => left - right)
  }

  /** Takes slots whose objects are not in memory yet. */
  fill(slots: readonly Slot[]): void {
    for (const slot of slots) {
      assert(!this.#slots.has(slot), 'a slot is taken once')
      this.#slots.set(slot, { state: 'filling', running: 0, cut: new AbortController() })
    }
  }

  /** Their objects are in memory: from now on reconciles may begin. */
  work(slots: readonly Slot[]): void {
    for (const slot of slots) this.#held(slot).state = 'worked'
  }

  /** From now on no reconcile of theirs begins. */
  drain(slots: readonly Slot[]): void {
    for (const slot of slots) this.#held(slot).state = 'draining'
  }

  /** Aborts the reconciles of these slots; true if there were any. */
  cut(slots: readonly Slot[]): boolean {
    const running = slots.map((slot) => this.#held(slot)).filter((held) => held.running > 0)
    for (const { cut } of running) cut.abort(new DOMException('another process takes the resource', 'AbortError'))
    return running.length > 0
  }

  /** Resolves when no reconcile of these slots runs. They must be draining, or it may never be so. */
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

  /** Another process may take them. */
  release(slots: readonly Slot[]): void {
    for (const slot of slots) {
      assert(this.#held(slot).state === 'draining' && this.#held(slot).running === 0, 'a slot is drained first')
      this.#slots.delete(slot)
    }
  }

  /** Runs a reconcile of the parent of this ApplySet if its slot is worked, under a signal that aborts with the caller's or when the slot is cut. */
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

/** The slot of an ApplySet, by the id of its parent. */
export function slotOf(set: string): Slot {
  return hashOf(set) % slotCount
}
