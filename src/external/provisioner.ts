// Provisions one External of every resource: runs the protocol and remembers the result. Invariant: while the inputs
// are unchanged and no observation is scheduled, a reconcile makes no call. The memory may be lost at any time; that
// costs one more observation.
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Tracer } from '../base/instrument.ts'
import { deepEqual, hashJson, type Json } from '../base/json.ts'
import type { Random } from '../base/random.ts'
import type { EventReport } from '../object/event-report.ts'
import { nextObservationMs, restMs } from './cadence.ts'
import type { DesiredExternal, ExternalRecord, ExternalRemoval, ExternalReport } from './external.ts'
import { type ExternalState, quoted } from './external-state.ts'
import type { Found, Pass } from './pass.ts'
import { ProtocolRunner, type ProtocolRunnerOptions } from './protocol-runner.ts'
import { eventOf, type Provision, reportOf } from './provision.ts'
import { gone } from './removal.ts'

export interface ProvisionerOptions extends ProtocolRunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly tracer: Tracer
}

interface Memory {
  /** Hash of the desired state: it may contain passwords. */
  readonly question: string | undefined
  readonly demand: string | undefined
  readonly standing: ExternalState
  readonly provision: Provision
  /** On the monotonic clock. */
  readonly lookedAtMs: number
}

export class Provisioner {
  readonly #options: ProvisionerOptions
  readonly #protocol: ProtocolRunner
  /** By uid. One entry per living resource. */
  readonly #memory = new Map<string, Memory>()

  constructor(options: ProvisionerOptions) {
    this.#options = options
    this.#protocol = new ProtocolRunner(options)
  }

  /** Returns the last report; undefined if this process has none. */
  lastReport(uid: string): ExternalReport | undefined {
    return this.#memory.get(uid)?.provision.report
  }

  /** Forgets a deleted resource. */
  forget(uid: string): void {
    this.#memory.delete(uid)
    this.#protocol.forget(uid)
  }

  /**
   * Rejects if the journal entry could not be stored, or the signal aborted. Errors of the driver are in the report.
   */
  async provide(wish: DesiredExternal<unknown>, pass: Pass): Promise<Provision> {
    if (wish.kind === 'none') return this.#standStill(pass, noneWanted, undefined)
    if (wish.kind === 'blocked') return this.#standStill(pass, blocked(wish), pass.record)
    return await this.#answer(wish, pass, () => this.#protocol.establish(wish, pass))
  }

  /**
   * Removes an External that has a journal entry; rejects like `provide`. Without an entry afterwards, it no longer
   * belongs to the resource.
   */
  async remove(removal: ExternalRemoval<unknown>, pass: Pass): Promise<Provision> {
    const { record } = pass
    assert(record !== undefined, 'only what is recorded is removed')
    if (removal.kind === 'blocked') return this.#standStill(pass, blocked(removal), record)
    if (removal.kind === 'keep') return this.#keep(removal.note, record, pass)
    return await this.#answer(removal, pass, () => this.#protocol.dissolve(removal.desired, pass))
  }

  /** The result without a journal entry: removed, abandoned, or never requested. */
  over(pass: Pass): Provision {
    const known = this.#memory.get(pass.token.uid)
    const isTold = known?.standing.state === 'kept' || known?.standing.state === 'gone'
    return isTold ? { ...known.provision, events: [] } : this.#standStill(pass, gone(this.#options.name), undefined)
  }

  #keep(note: string, { externalName }: ExternalRecord, pass: Pass): Provision {
    const event = eventOf.kept(`${this.#options.name} ${quoted(externalName)}`, note)
    return this.#standStill(pass, { state: 'kept', reason: 'Kept', message: note, end: 'settled' }, undefined, [event])
  }

  /** Returns a result without a call. */
  #standStill(
    { token: { uid } }: Pass,
    standing: ExternalState,
    record: ExternalRecord | undefined,
    events: readonly EventReport[] = [],
  ): Provision {
    const { name, clock } = this.#options
    const report = reportOf({ name, standing, record, last: this.lastReport(uid), nowMs: clock.now() })
    const provision = { report, record, end: standing.end, events }
    const lookedAtMs = clock.monotonicMs()
    this.#memory.set(uid, { question: undefined, demand: undefined, standing, provision, lookedAtMs })
    return provision
  }

  async #answer(asked: { readonly desired: unknown }, pass: Pass, look: () => Promise<Found>): Promise<Provision> {
    const { name, clock, tracer, driver } = this.#options
    const { uid, generation } = pass.token
    const desired = driver.question === undefined ? asked.desired : driver.question(asked.desired)
    // Sound: the desired state is JSON; changes of other values would not be detected.
    const question = hashJson([generation, { ...asked, desired } as unknown as Json])
    const known = this.#memory.get(uid)
    if (known?.question === question) {
      const provision = this.#remembered(known, pass)
      if (provision !== undefined) return provision
    }
    const found = await tracer.run(`external ${name}`, () => ({}), look)
    const { standing, record, retryAfterMs, graceMs, events } = found
    const report = reportOf({ ...found, name, last: this.lastReport(uid), nowMs: clock.now() })
    const provision: Provision = { report, record, end: standing.end, retryAfterMs, graceMs, events }
    const memory = { question, demand: pass.demand, standing, provision, lookedAtMs: clock.monotonicMs() }
    this.#memory.set(uid, memory)
    return this.#withNextLook(memory, pass)
  }

  /** Returns the last result, if it is still valid. */
  #remembered(known: Memory, pass: Pass): Provision | undefined {
    const { provision, demand } = known
    const isDemanded = pass.demand !== undefined && pass.demand !== demand
    // Sound: a journal entry is JSON.
    const isSame = deepEqual(provision.record as Json | undefined, pass.record as Json | undefined)
    if (isDemanded || !isSame || this.#restedMs(known) >= this.#restMs(known, pass)) return undefined
    const report = { ...provision.report, corrected: [] }
    return this.#withNextLook({ ...known, provision: { ...provision, report, events: [] } }, pass)
  }

  #withNextLook(known: Memory, pass: Pass): Provision {
    const rest = this.#restMs(known, pass)
    if (rest === 0) return known.provision
    const times = { restMs: rest, restedMs: this.#restedMs(known) }
    return { ...known.provision, lookInMs: nextObservationMs(times, this.#options.random) }
  }

  #restMs({ standing, provision: { retryAfterMs } }: Memory, { cadenceMs }: Pass): number {
    const { pollMs } = this.#options.driver.consistency
    return restMs({ standing, cadenceMs, pollMs, retryAfterMs })
  }

  #restedMs({ lookedAtMs }: Memory): number {
    return this.#options.clock.monotonicMs() - lookedAtMs
  }
}

const noneWanted: ExternalState = { state: 'none', reason: 'NotWanted', message: '', end: 'settled' }

function blocked({ reason, message }: { readonly reason: string; readonly message: string }): ExternalState {
  return { state: 'blocked', reason, message, end: 'waiting' }
}
