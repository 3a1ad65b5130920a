// Faulty path to the API server: interface of its implementations over sockets and in the process. Faults are added and
// cleared, the line goes down and up, and every call is on record with its response code.
import { type ApiCall, isWrite } from './api-call.ts'
import { type Fault, FaultBook, type Occurrence } from './fault.ts'

export interface CallRecord {
  readonly call: ApiCall
  /** Milliseconds on the clock of the path. */
  readonly atMs: number
  /** Status of the API server's response, whether or not the operator received it; undefined before. */
  status: number | undefined
  /** Fault that struck the call itself. */
  fault?: Fault | undefined
}

/** `silent` keeps every connection open and lets nothing pass; `down` breaks all and accepts none. */
export type Line = 'up' | 'silent' | 'down'

export abstract class FaultyWay {
  readonly #faults = new FaultBook()
  readonly #struck = new Set<Fault>()
  #line: Line = 'up'
  /** Every call since the start, in order. */
  readonly calls: CallRecord[] = []

  abstract breakConnections(): void

  /** Calls that request a change. */
  get writes(): readonly CallRecord[] {
    return this.calls.filter(({ call }) => isWrite(call))
  }

  inject(...faults: readonly Fault[]): void {
    this.#faults.add(...faults)
  }

  /** Clears all faults; their past effects stay. */
  heal(): void {
    this.#faults.clear()
  }

  /** True if the fault took effect. */
  hasStruck(fault: Fault): boolean {
    return this.#struck.has(fault)
  }

  isSpent(fault: Fault): boolean {
    return this.#faults.isSpent(fault)
  }

  get line(): Line {
    return this.#line
  }

  /** A change from `silent` breaks the connections, so pending calls are lost. */
  set line(line: Line) {
    this.#line = line
    if (line !== 'silent') this.breakConnections()
  }

  protected record(call: ApiCall, atMs: number): CallRecord {
    const record: CallRecord = { call, atMs, status: undefined }
    this.calls.push(record)
    return record
  }

  protected strike(occurrence: Occurrence): Fault | undefined {
    return this.#faults.strike(occurrence)
  }

  /** Returns the effect of a fault, and records that it took effect. */
  protected begin(fault: Fault | undefined): Fault['effect'] | undefined {
    if (fault !== undefined) this.#struck.add(fault)
    return fault?.effect
  }
}

/** Returns the Status that the API server sends with a rejection. */
export function statusObject(effect: Extract<Fault['effect'], { kind: 'refuse' }>): object {
  const { status: code, reason = '', message = `the fault lab answers with ${code}`, retryAfterSeconds } = effect
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, ...details }
}

/** Returns type and object of a line of a watch, for matching. */
export function frameOf(line: string): Pick<Occurrence, 'frame'> & { name?: string; namespace?: string } {
  // Form of a watch event; a Status has no name.
  const { type, object } = JSON.parse(line) as {
    type: NonNullable<Occurrence['frame']>
    object: { metadata?: { name?: string; namespace?: string } }
  }
  const { name, namespace } = object.metadata ?? {}
  return { frame: type, ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) }
}
