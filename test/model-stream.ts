// What does one watch on the model API server get to see? The changes of its selection, in order: what enters it as added, what
// leaves it as deleted. It can be held, and it can be told that its history is gone.
import type { Selection, WatchFrame } from '../src/kube/client.ts'
import type { LiveObject } from '../src/object/object.ts'
import { groupKindOf, type Resource } from '../src/object/resource.ts'

/** One change of one object. */
export interface Entry {
  readonly version: number
  readonly resource: Resource
  readonly before: LiveObject | undefined
  readonly after: LiveObject | undefined
}

/** Frames on their way. */
export class Stream {
  readonly #resource: Resource
  readonly #selection: Selection
  readonly #queue: WatchFrame[] = []
  #hasEnded = false
  #isHeld = false
  #wake = () => {}

  constructor(resource: Resource, selection: Selection) {
    this.#resource = resource
    this.#selection = selection
  }

  isOf(resource: Resource): boolean {
    return groupKindOf(resource) === groupKindOf(this.#resource)
  }

  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld
    this.#wake()
  }

  push(frame: WatchFrame): void {
    this.#queue.push(frame)
    this.#wake()
  }

  /** An object that leaves the selection is told as deleted, one that enters it as added. */
  tell({ version, resource, before, after }: Entry): void {
    if (!this.isOf(resource)) return
    const was = before !== undefined && isSelected(before, this.#selection)
    const is = after !== undefined && isSelected(after, this.#selection)
    if (is) this.push({ type: was ? 'MODIFIED' : 'ADDED', object: structuredClone(after) })
    else if (was) {
      const metadata = { ...before.metadata, resourceVersion: String(version) }
      this.push({ type: 'DELETED', object: structuredClone({ ...before, metadata }) })
    }
  }

  /** What was on its way is lost. */
  expire(): void {
    this.#queue.length = 0
    this.#isHeld = false
    this.push({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })
  }

  end(): void {
    this.#hasEnded = true
    this.#wake()
  }

  async *frames(signal: AbortSignal): AsyncIterable<WatchFrame> {
    for (;;) {
      const frame = this.#isHeld ? undefined : this.#queue.shift()
      if (this.#hasEnded) {
        signal.throwIfAborted()
        return
      }
      if (frame !== undefined) yield frame
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}

/** Label selectors of the forms `key`, `key=value`, and several of them with commas. */
export function isSelected({ metadata }: LiveObject, { namespace, labelSelector }: Selection): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  return (labelSelector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [label = '', value] = term.split('=')
      const found = metadata.labels?.[label]
      return value === undefined ? found !== undefined : found === value
    })
}
