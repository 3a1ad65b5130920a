// One watch on the model API server. It delivers the changes of its selection in order: an object that enters the
// selection as added, one that leaves it as deleted. A test can hold it, or expire its history.
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

/** Queue of frames. */
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

  /** Queues a frame for the change: deleted for an object that leaves the selection, added for one that enters it. */
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

  /** Drops pending frames and sends 410 Expired. */
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

/** Matches label selectors of the forms `key` and `key=value`, and several of them with commas. */
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
