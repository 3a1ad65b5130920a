// Services of an operator for the drivers of its controllers. One instance per process: its endpoints, its instruments,
// and the functions to run at the end.
import type { Clock } from '../base/clock.ts'
import type { Instruments, Log, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { Endpoint } from './endpoint.ts'
import { Endpoints } from './endpoints.ts'
import type { ExternalTools } from './external.ts'

export interface ToolBoxOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
}

/** Limit of each endpoint. Lets a thousand resources converge in a minute without a flood of calls. */
const callLimit = { perSecond: 200, burst: 400 }
/**
 * Limit of each namespace at each endpoint, in addition. Enough for a dozen resources at once, whatever the calls of
 * other namespaces.
 */
const callShare = { perSecond: 20, burst: 40 }

export class ToolBox implements ExternalTools {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer
  readonly #endpoints: Endpoints
  readonly #closers: (() => Promise<void>)[] = []

  constructor({ clock, random, instruments }: ToolBoxOptions) {
    this.clock = clock
    this.random = random
    this.log = instruments.log
    this.tracer = instruments.tracer
    this.#endpoints = new Endpoints({ clock, random, instruments, limit: callLimit, share: callShare })
  }

  endpoint(name: string, namespace: string): Endpoint {
    return this.#endpoints.endpoint(name, namespace)
  }

  atStop(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  /** Functions to run at the end, newest first. */
  get closers(): readonly (() => Promise<void>)[] {
    return this.#closers.toReversed()
  }
}
