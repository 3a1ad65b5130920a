// Fault injection in front of the server.
// It delays, rejects or cuts off requests, serves stale reads, and loses, repeats or delays watch events.
// Seeded, so that a run is reproducible.
import { type Clock, sleep } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import {
  type Answering,
  type ApiAnswer,
  type ApiRequest,
  ConnectionCut,
  refusal,
  type StreamSink,
} from '../exchange.ts'
import { requestInfoOf } from '../request-info.ts'
import { StatusError } from '../status-error.ts'
import { type Fault, type FaultRule, matchesRule, type RuleCount, strikes } from './fault-rule.ts'

export interface FaultyServerOptions {
  readonly server: Answering & { readonly log: { readonly revision: number } }
  readonly clock: Clock
  readonly random: Random
}

type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>

export class FaultyServer implements Answering {
  readonly #options: FaultyServerOptions
  readonly #rules = new Map<FaultRule, RuleCount>()

  constructor(options: FaultyServerOptions) {
    this.#options = options
  }

  /** Adds a rule. Returns the function that removes it. Running requests are not affected. */
  add(rule: FaultRule): () => void {
    this.#rules.set(rule, { matched: 0, struck: 0 })
    return () => void this.#rules.delete(rule)
  }

  /** Removes all rules. */
  clear(): void {
    this.#rules.clear()
  }

  /** Number of requests that a rule has affected. */
  struck(rule: FaultRule): number {
    return this.#rules.get(rule)?.struck ?? 0
  }

  /** Answers a request under the rules. Rejects with ConnectionCut where the connection breaks. */
  async answer(request: ApiRequest): Promise<ApiAnswer> {
    const faults = this.#faultsOf(request)
    const of = <Kind extends Fault['kind']>(kind: Kind) =>
      faults.find((fault): fault is FaultOf<Kind> => fault.kind === kind)
    const late = of('latency')
    if (late !== undefined) await this.#wait(late.ms)
    const cut = of('cut')
    if (cut?.when === 'before') throw new ConnectionCut('the connection ended before the request was heard')
    const refused = of('refuse')
    if (refused !== undefined) return refusal(refusalOf(refused))
    const stale = of('stale-read')
    const { server } = this.#options
    const asOf = stale === undefined ? {} : { asOf: Math.max(1, server.log.revision - stale.revisions) }
    const answer = await server.answer({ ...request, ...asOf })
    if (cut?.when === 'after') throw new ConnectionCut('the connection ended before the answer came')
    return answer.stream === undefined ? answer : { ...answer, stream: this.#disturbed(answer.stream, faults) }
  }

  #faultsOf(request: ApiRequest): readonly Fault[] {
    const info = requestInfoOf(request.method, request.path, request.query)
    const userAgent = request.header('user-agent') ?? ''
    const faults: Fault[] = []
    for (const [rule, count] of this.#rules) {
      if (!matchesRule(rule, info, userAgent)) continue
      const isStruck = strikes(rule, count, this.#options.random.next())
      this.#rules.set(rule, { matched: count.matched + 1, struck: count.struck + (isStruck ? 1 : 0) })
      if (isStruck) faults.push(rule.fault)
    }
    return faults
  }

  #disturbed(stream: NonNullable<ApiAnswer['stream']>, faults: readonly Fault[]): NonNullable<ApiAnswer['stream']> {
    return (sink) => stream(faults.reduce((inner, fault) => this.#disturb(inner, fault), sink))
  }

  #disturb(sink: StreamSink, fault: Fault): StreamSink {
    const { random, clock } = this.#options
    switch (fault.kind) {
      case 'lose-events':
        return { ...sink, write: (text) => random.next() < fault.share || sink.write(text) }
      case 'repeat-events':
        return {
          ...sink,
          write: (text) => {
            sink.write(text)
            if (random.next() < fault.share) sink.write(text)
          },
        }
      case 'delay-events':
        return {
          write: (text) => void clock.setTimer(fault.ms, () => sink.write(text)),
          close: () => void clock.setTimer(fault.ms, () => sink.close()),
          cut: () => sink.cut(),
        }
      case 'freeze-watch':
        return { ...sink, write: () => {} }
      case 'cut-watch':
        return cutAfter(sink, fault.afterEvents)
      default:
        return sink
    }
  }

  #wait(ms: number | readonly [number, number]): Promise<void> {
    const { clock, random } = this.#options
    const delayMs = typeof ms === 'number' ? ms : ms[0] + random.next() * (ms[1] - ms[0])
    return sleep(clock, delayMs, new AbortController().signal)
  }
}

function cutAfter(sink: StreamSink, events: number): StreamSink {
  let left = events
  return {
    ...sink,
    write: (text) => {
      if (left < 0) return
      if (left-- > 0) sink.write(text)
      else sink.cut()
    },
  }
}

const reasons: Readonly<Record<FaultOf<'refuse'>['code'], readonly [reason: string, message: string]>> = {
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'The resourceVersion for the provided list is too old.'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'Internal error occurred: a fault was asked for'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
}

function refusalOf({ code, retryAfterSeconds }: FaultOf<'refuse'>): StatusError {
  const [reason, message] = reasons[code]
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }
  return new StatusError({ code, reason, message, ...details })
}
