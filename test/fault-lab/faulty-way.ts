// What does a bad way to the API server do, and what is known of it? Whatever carries the requests, faults are added and taken back in
// the same words, the line goes down and up, and every call is on record with its verdict.
import { type ApiCall, isWrite } from './api-call.ts'
import { type Fault, FaultBook, type Occurrence } from './fault.ts'

export interface CallRecord {
  readonly call: ApiCall
  /** Milliseconds on the clock of the way. */
  readonly atMs: number
  /** What the API server answered, whether or not that went further; undefined while it has not. */
  status: number | undefined
  /** What struck the call itself. */
  fault?: Fault | undefined
}

/** `silent` keeps every connection open and lets nothing pass; `down` breaks them and lets none be made. */
export type Line = 'up' | 'silent' | 'down'

export abstract class FaultyWay {
  readonly #faults = new FaultBook()
  readonly #struck = new Set<Fault>()
  #line: Line = 'up'
  /** Every call since the start, as they came. */
  readonly calls: CallRecord[] = []

  abstract breakConnections(): void

  /** The calls that ask for a change. */
  get writes(): readonly CallRecord[] {
    return this.calls.filter(({ call }) => isWrite(call))
  }

  inject(...faults: readonly Fault[]): void {
    this.#faults.add(...faults)
  }

  /** Takes all faults back; what they have done stays done. */
  heal(): void {
    this.#faults.clear()
  }

  /** Has its effect been seen? */
  hasStruck(fault: Fault): boolean {
    return this.#struck.has(fault)
  }

  isSpent(fault: Fault): boolean {
    return this.#faults.isSpent(fault)
  }

  get line(): Line {
    return this.#line
  }

  /** What was under way while nothing could pass is lost with its connection. */
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

  /** The effect of a fault, which now is seen. */
  protected begin(fault: Fault | undefined): Fault['effect'] | undefined {
    if (fault !== undefined) this.#struck.add(fault)
    return fault?.effect
  }
}

/** What the API server sends for a refusal. */
export function statusObject(effect: Extract<Fault['effect'], { kind: 'refuse' }>): object {
  const { status: code, reason = '', message = `the fault lab answers with ${code}`, retryAfterSeconds } = effect
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, ...details }
}

/** What a line of a watch is, for a fault to match. */
export function frameOf(line: string): Pick<Occurrence, 'frame'> & { name?: string; namespace?: string } {
  // What the API server sends on a watch; a Status has no name.
  const { type, object } = JSON.parse(line) as {
    type: NonNullable<Occurrence['frame']>
    object: { metadata?: { name?: string; namespace?: string } }
  }
  const { name, namespace } = object.metadata ?? {}
  return { frame: type, ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) }
}
