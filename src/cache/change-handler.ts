// Handlers of the changes of a store. Invariant: a handler gets every change once, in order, after the store has it.
import type { Slices } from '../base/slices.ts'
import type { LiveObject } from '../object/object.ts'
import type { StoreChange } from './store.ts'

/** A change of the store. `isInitial` marks objects from before the first list of this process. */
export type InformerEvent<T extends LiveObject = LiveObject> = StoreChange<T> & { readonly isInitial: boolean }

/** Called synchronously. An error is logged and counted, and affects no other handler. */
export type InformerHandler<T extends LiveObject = LiveObject> = (event: InformerEvent<T>) => void

export interface ChangeHandlerOptions {
  readonly slices: Slices
  /** `who`: the handler, as in `handler of added`. */
  readonly onThrow: (who: string, object: LiveObject, thrown: unknown, previous: LiveObject | undefined) => void
}

export class ChangeHandler<T extends LiveObject> {
  readonly #options: ChangeHandlerOptions
  readonly #handlers = new Set<InformerHandler<T>>()

  constructor(options: ChangeHandlerOptions) {
    this.#options = options
  }

  /** Adds a handler, which first gets all these objects as initial. Returns a function that removes it. */
  add(handler: InformerHandler<T>, objects: readonly T[]): () => void {
    // A separate function, so that the same handler added twice is two handlers.
    const added: InformerHandler<T> = (event) => handler(event)
    this.#handlers.add(added)
    for (const object of objects) this.#tell(added, { kind: 'added', object, isInitial: true })
    return () => void this.#handlers.delete(added)
  }

  tell(events: Iterable<InformerEvent<T>>): void {
    // A handler that is added meanwhile already knows the whole store.
    const handlers = [...this.#handlers]
    for (const event of events) for (const handler of handlers) this.#tell(handler, event)
  }

  /**
   * Works as `tell`, in slices. The caller reports no other change meanwhile, so that none overtakes another. Stops
   * once the signal has aborted.
   */
  async tellInSlices(events: Iterable<InformerEvent<T>>, signal: AbortSignal): Promise<void> {
    const { slices } = this.#options
    const handlers = [...this.#handlers]
    for (const event of events) {
      for (const handler of handlers) this.#tell(handler, event)
      if (slices.isOver) await slices.nextTurn(signal)
      if (signal.aborted) return
    }
  }

  #tell(handler: InformerHandler<T>, event: InformerEvent<T>): void {
    if (!this.#handlers.has(handler)) return
    try {
      handler(event)
    } catch (thrown) {
      this.#options.onThrow(
        `handler of ${event.kind}`,
        event.object,
        thrown,
        event.kind === 'updated' ? event.previous : undefined,
      )
    }
  }
}
