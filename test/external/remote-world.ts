// Model of an endpoint outside the cluster, in memory: boxes with a name, a size and a label with their owner. It
// models the difficulties of such systems: a created box is not visible at once, needs time, and occupies its name. Any
// call may fail or be cut off before or after its effect.
import type { Clock } from '../../src/base/clock.ts'
import { CodedError, type Remedy } from '../../src/base/errors.ts'
import type {
  Consistency,
  ExternalCall,
  ExternalChange,
  ExternalDriver,
  ExternalTools,
  Observation,
  Token,
} from '../../src/external/external.ts'

export interface BoxWish {
  readonly size: number
}

export interface Box {
  readonly id: string
  readonly size: number
  readonly owner: Token | undefined
  /** Wall clock, as are the others. */
  readonly visibleAtMs: number
  readonly readyAtMs: number
  /** Set once its removal was requested. */
  readonly goneAtMs?: number
}

export type Operation = 'observe' | 'create' | 'update' | 'delete'

export interface RemoteOptions {
  readonly visibilityDelayMs?: number
  /** Time until a box is usable. */
  readonly pendingMs?: number
  /** Time of a removal. */
  readonly deletingMs?: number
  readonly createTimeoutMs?: number
}

export class RemoteWorld {
  readonly consistency: Consistency
  readonly boxes = new Map<string, Box>()
  /** `create a-box`, in the order of the requests. */
  readonly calls: string[] = []
  /** Effects that took place. */
  readonly deeds: string[] = []
  /** Runs before and after the effect of each call; the caller receives what it throws. */
  before: (operation: Operation, call: ExternalCall<BoxWish>) => void = () => {}
  after: (operation: Operation, call: ExternalCall<BoxWish>) => void = () => {}
  /** True if an absence is certain; default: if nothing is delayed. */
  isAuthoritative: boolean
  /** True if `update` has no effect. */
  isDeaf = false
  readonly #clock: Clock
  readonly #options: Required<RemoteOptions>
  #made = 0

  constructor(clock: Clock, options: RemoteOptions = {}) {
    const times = { visibilityDelayMs: 0, pendingMs: 0, deletingMs: 0, createTimeoutMs: 600_000, ...options }
    const { visibilityDelayMs, createTimeoutMs } = times
    this.#clock = clock
    this.#options = times
    this.isAuthoritative = visibilityDelayMs === 0
    this.consistency = { visibilityDelayMs, pollMs: 5_000, createTimeoutMs }
  }

  /** Number of effects of this operation. */
  count(operation: Operation): number {
    return this.deeds.filter((deed) => deed.startsWith(operation)).length
  }

  /** Creates a box of another owner. */
  put(name: string, { size = 1, owner }: { readonly size?: number; readonly owner?: Token } = {}): Box {
    this.#made += 1
    const nowMs = this.#clock.now()
    const box: Box = { id: `box-${this.#made}`, size, owner, visibleAtMs: nowMs, readyAtMs: nowMs }
    this.boxes.set(name, box)
    return box
  }

  /** Changes a box from outside. */
  edit(name: string, change: Partial<Box>): void {
    const box = this.boxes.get(name)
    if (box === undefined) throw new Error(`there is no box ${name}`)
    this.boxes.set(name, { ...box, ...change })
  }

  driver(tools: ExternalTools): ExternalDriver<BoxWish, BoxWish> {
    const answer = <T>(operation: Operation, call: ExternalCall<BoxWish>, work: () => T): Promise<T> =>
      tools
        .endpoint('boxes.example:443', call.namespace)
        .call(operation, (signal) => this.#answer(operation, { ...call, signal }, work), call.signal)
    return {
      consistency: this.consistency,
      observe: (call) => answer('observe', call, () => this.#observe(call)),
      create: (call) => answer('create', call, () => this.#create(call)),
      differences,
      update: (call, _, changes) => answer('update', call, () => this.#update(call, changes)),
      delete: (call) => answer('delete', call, () => this.#delete(call)),
    }
  }

  async #answer<T>(operation: Operation, call: ExternalCall<BoxWish>, work: () => T): Promise<T> {
    this.calls.push(`${operation} ${call.externalName}`)
    // The effect takes place even if the caller does not wait for the answer.
    await Promise.resolve()
    call.signal.throwIfAborted()
    this.before(operation, call)
    const result = work()
    this.after(operation, call)
    return result
  }

  #existing(name: string): Box | undefined {
    const box = this.boxes.get(name)
    if (box?.goneAtMs !== undefined && box.goneAtMs <= this.#clock.now()) {
      this.boxes.delete(name)
      return undefined
    }
    return box
  }

  #observe({ externalName }: ExternalCall<BoxWish>): Observation<BoxWish> {
    const box = this.#existing(externalName)
    const nowMs = this.#clock.now()
    if (box === undefined || nowMs < box.visibleAtMs) {
      return { kind: 'absent', proof: this.isAuthoritative ? 'authoritative' : 'hint' }
    }
    const { id: providerID, owner, size } = box
    if (box.goneAtMs !== undefined) return { kind: 'deleting', detail: 'shredding' }
    if (nowMs < box.readyAtMs) return { kind: 'pending', providerID, owner, detail: 'folding' }
    return { kind: 'available', providerID, owner, observed: { size } }
  }

  #create({ externalName, desired, token }: ExternalCall<BoxWish>): void {
    if (this.#existing(externalName) !== undefined) throw taken(externalName)
    const { visibilityDelayMs, pendingMs } = this.#options
    const nowMs = this.#clock.now()
    this.#made += 1
    const times = { visibleAtMs: nowMs + visibilityDelayMs, readyAtMs: nowMs + visibilityDelayMs + pendingMs }
    this.boxes.set(externalName, { id: `box-${this.#made}`, size: desired.size, owner: token, ...times })
    this.deeds.push(`create ${externalName}`)
  }

  #update({ externalName, desired, token }: ExternalCall<BoxWish>, changes: readonly ExternalChange[]): void {
    this.deeds.push(`update ${externalName}: ${changes.map(({ reason }) => reason).join()}`)
    if (!this.isDeaf) this.edit(externalName, { size: desired.size, owner: token })
  }

  #delete({ externalName, token }: ExternalCall<BoxWish>): void {
    const box = this.#existing(externalName)
    if (box === undefined) return
    if (box.owner?.uid !== token.uid) throw new Error(`asked to delete ${externalName}, which is not the caller's`)
    if (box.goneAtMs === undefined) this.deeds.push(`delete ${externalName}`)
    this.edit(externalName, { goneAtMs: box.goneAtMs ?? this.#clock.now() + this.#options.deletingMs })
  }
}

/** A failure of the endpoint itself. */
export function down(message = 'no answer', remedy: Remedy = 'retry'): CodedError {
  return new CodedError({ code: remedy === 'retry' ? 'BoxesUnreachable' : 'BoxesRefused', message, remedy })
}

function taken(name: string): CodedError {
  return new CodedError({ code: 'AlreadyExists', message: `there is a box ${name}`, remedy: 'stop' })
}

function differences(desired: BoxWish, observed: BoxWish): readonly ExternalChange[] {
  if (desired.size === observed.size) return []
  return [{ reason: 'SizeChanged', message: `its size is ${observed.size}, not ${desired.size}` }]
}
