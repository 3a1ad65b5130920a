// Runs the protocol on one external resource: observe, decide, act, and again, until the pass has nothing more to do.
// It makes no decisions. Invariants: the journal entry is stored before every effect, and a crash may come at any await
// (I3). No effect starts after this process lost its right to act (I9), and every driver call ends, even one that
// ignores its signal (I12).
import { assert } from '../base/assert.ts'
import { type Clock, withinLimit } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { EventReport } from '../object/event-report.ts'
import { type CreationInput, creationStep, externalNameOf, type Wanted } from './creation.ts'
import type { ExternalCall, ExternalChange, ExternalDriver, ExternalRecord, Observation } from './external.ts'
import { described, type ExternalState, quoted } from './external-state.ts'
import type { Found, Pass } from './pass.ts'
import { eventOf, failureOf } from './provision.ts'
import { removalStep } from './removal.ts'

/** Admits effects while this process may act, and cuts them off when it no longer may. A closed gate throws. */
export interface EffectGate {
  enter(signal: AbortSignal): { readonly signal: AbortSignal; end(): void }
}

/** Gate of a process that acts alone. */
export const openGate: EffectGate = { enter: (signal) => ({ signal, end: () => {} }) }

export interface ProtocolRunnerOptions {
  /** Name of the External. */
  readonly name: string
  readonly driver: ExternalDriver<unknown, unknown>
  readonly clock: Clock
  readonly log: Log
  readonly gate: EffectGate
}

/** Result of a pass so far; it survives a failure of the driver. */
interface Progress {
  record: ExternalRecord | undefined
  observation: Observation<unknown> | undefined
  readonly events: EventReport[]
}

/**
 * Time limits of a driver's call, including all its waits; an observation, an effect and another observation fit in one
 * reconcile. A longer operation is requested, and then observed as pending.
 */
const limits = { lookMs: 45_000, effectMs: 90_000 } as const

/** Steps of one pass. The longest regular pass takes four: create, adopt, update, rest. */
const mostSteps = 8

export class ProtocolRunner {
  readonly #options: ProtocolRunnerOptions
  /** Start of the consecutive observations without the resource, on the monotonic clock; by uid. */
  readonly #missingSinceMs = new Map<string, number>()
  /** Consecutive updates for the same differences; by uid. */
  readonly #futileUpdates = new Map<string, { readonly what: string; readonly count: number }>()

  constructor(options: ProtocolRunnerOptions) {
    this.#options = options
  }

  forget(uid: string): void {
    this.#missingSinceMs.delete(uid)
    this.#futileUpdates.delete(uid)
  }

  /**
   * Rejects if the journal entry could not be stored, or the signal aborted. Errors of the driver are part of the
   * result.
   */
  establish(wish: Wanted, pass: Pass): Promise<Found> {
    return this.#unlessItFails(pass, wish.desired, (progress) => this.#establish(wish, pass, progress))
  }

  /**
   * Removes the resource; rejects like `establish`. A result without a journal entry no longer belongs to the resource.
   */
  dissolve(desired: unknown, pass: Pass): Promise<Found> {
    return this.#unlessItFails(pass, desired, (progress) => this.#dissolve(desired, pass, progress))
  }

  async #establish(wish: Wanted, pass: Pass, progress: Progress): Promise<Found> {
    const { name, driver, clock } = this.#options
    const { consistency } = driver
    const { token } = pass
    const { uid } = token
    let done: CreationInput['done'] = 'nothing'
    let corrected: readonly ExternalChange[] = []
    for (let steps = 0; steps < mostSteps; steps++) {
      const { record } = progress
      const call = this.#callOf(pass, { ...wish, externalName: externalNameOf({ record, wish }), record })
      progress.observation ??= await this.#observe(pass, call)
      const { observation } = progress
      const changes = observation.kind === 'available' ? driver.differences(wish.desired, observation.observed) : []
      const missingForMs = this.#missingForMs(uid, progress)
      const futile = this.#futileUpdates.get(uid)
      const futileUpdates = futile?.what === described(changes) ? futile.count : 0
      const known = { name, wish, token, record, observation, changes, consistency }
      const step = creationStep({ ...known, nowMs: clock.now(), missingForMs, done, futileUpdates })
      switch (step.kind) {
        case 'create':
        case 'adopt':
          await pass.store(step.record)
          progress.record = step.record
          if (step.kind === 'adopt') {
            progress.events.push(eventOf.adopted(this.#what(call)))
            break
          }
          done = await this.#create(pass, { ...call, providerID: undefined }, progress)
          break
        case 'update':
          await this.#update(pass, call, { ...step, observation })
          progress.record = step.record
          this.#futileUpdates.set(uid, { what: described(changes), count: futileUpdates + 1 })
          progress.observation = undefined
          corrected = step.changes.filter((change) => change.isReported === true || step.drift.includes(change))
          done = 'updated'
          break
        case 'rest': {
          const { standing, drift } = step
          if (standing.state === 'available') this.#futileUpdates.delete(uid)
          const isRight = standing.state === 'available' && corrected.length > 0
          if (isRight) progress.events.push(eventOf.corrected(this.#what(call), corrected))
          return { ...progress, record: step.record, standing, drift, corrected: isRight ? corrected : [] }
        }
      }
    }
    return { ...progress, standing: unsettled(name), drift: [], corrected: [] }
  }

  async #create(pass: Pass, call: ExternalCall<unknown>, progress: Progress): Promise<CreationInput['done']> {
    const { driver } = this.#options
    progress.observation = undefined
    try {
      await this.#act(pass, call, { operation: 'create', run: (cut) => driver.create(cut) })
    } catch (thrown) {
      if (!(thrown instanceof DriverFailure) || !isNameTaken(thrown.cause)) throw thrown
      return 'nameTaken'
    } finally {
      this.#missingSinceMs.delete(pass.token.uid)
    }
    progress.events.push(eventOf.created(this.#what(call)))
    return 'created'
  }

  async #update(
    pass: Pass,
    call: ExternalCall<unknown>,
    {
      changes,
      observation,
    }: { readonly changes: readonly ExternalChange[]; readonly observation: Observation<unknown> },
  ): Promise<void> {
    const { driver } = this.#options
    assert(observation.kind === 'available', 'only what is available is changed')
    const { observed } = observation
    const run = (cut: ExternalCall<unknown>) => driver.update(cut, observed, changes)
    await this.#act(pass, call, { operation: 'update', run, why: described(changes) })
  }

  async #dissolve(desired: unknown, pass: Pass, progress: Progress): Promise<Found> {
    const { driver, clock } = this.#options
    const { consistency } = driver
    const { token } = pass
    let isAskedFor = false
    for (;;) {
      const { record } = progress
      assert(record !== undefined, 'only what is recorded is removed')
      const call = this.#callOf(pass, { desired, externalName: record.externalName, record })
      progress.observation ??= await this.#observe(pass, call)
      const { observation } = progress
      const missingForMs = this.#missingForMs(token.uid, progress)
      const known = { token, record, observation, consistency, isAskedFor }
      const step = removalStep({ ...known, nowMs: clock.now(), missingForMs })
      switch (step.kind) {
        case 'delete': {
          await pass.store(step.record)
          progress.record = step.record
          const observed = observation.kind === 'available' ? observation.observed : undefined
          await this.#act(pass, call, { operation: 'delete', run: (cut) => driver.delete(cut, observed) })
          progress.observation = undefined
          isAskedFor = true
          break
        }
        case 'rest':
          return { ...progress, ...step, drift: [], corrected: [] }
        case 'end': {
          const { standing } = step
          const what = this.#what(call)
          const event = standing.state === 'gone' ? eventOf.removed(what) : eventOf.leftAlone(standing.message)
          progress.events.push(event)
          return { ...progress, record: undefined, standing, drift: [], corrected: [] }
        }
      }
    }
  }

  async #unlessItFails(pass: Pass, desired: unknown, work: (progress: Progress) => Promise<Found>): Promise<Found> {
    const { driver } = this.#options
    const progress: Progress = { record: pass.record, observation: undefined, events: [] }
    let leave: (() => void) | undefined
    try {
      if (driver.enter !== undefined) leave = await this.#enter(pass, desired)
      return await work(progress)
    } catch (thrown) {
      if (!(thrown instanceof DriverFailure)) throw thrown
      // An unknown state ends the series of observations without the resource.
      this.#missingSinceMs.delete(pass.token.uid)
      const { retryAfterMs, graceMs, ...standing } = failureOf(thrown.cause)
      return { ...progress, observation: undefined, standing, retryAfterMs, graceMs, drift: [], corrected: [] }
    } finally {
      leave?.()
    }
  }

  /** An observation with the resource resets the time. */
  #missingForMs(uid: string, { observation }: Progress): number {
    if (observation?.kind !== 'absent') {
      this.#missingSinceMs.delete(uid)
      return 0
    }
    const nowMs = this.#options.clock.monotonicMs()
    const sinceMs = this.#missingSinceMs.get(uid) ?? nowMs
    this.#missingSinceMs.set(uid, sinceMs)
    return nowMs - sinceMs
  }

  #callOf(
    { namespace, token, signal }: Pass,
    { desired, externalName, record, adopts = false }: CallParts,
  ): ExternalCall<unknown> {
    return { desired, externalName, namespace, token, providerID: record?.providerID, adopts, signal }
  }

  async #enter(pass: Pass, desired: unknown): Promise<(() => void) | undefined> {
    const { name, driver, clock } = this.#options
    const tooLate = () => timedOut(`the wait for the ${name}'s turn`, limits.lookMs)
    const limit = { clock, limitMs: limits.lookMs, signal: pass.signal, tooLate }
    return await this.#ask(pass, () => withinLimit(limit, async (signal) => driver.enter?.({ desired, signal })))
  }

  async #observe(pass: Pass, call: ExternalCall<unknown>): Promise<Observation<unknown>> {
    const { driver, clock } = this.#options
    const tooLate = () => timedOut(`the look at ${this.#what(call)}`, limits.lookMs)
    const limit = { clock, limitMs: limits.lookMs, signal: pass.signal, tooLate }
    return await this.#ask(pass, () => withinLimit(limit, (signal) => driver.observe({ ...call, signal })))
  }

  async #act(pass: Pass, call: ExternalCall<unknown>, { operation, run, why }: Effect): Promise<void> {
    const { log, gate, clock } = this.#options
    const what = this.#what(call)
    const tooLate = () => timedOut(`the ${operation} of ${what}`, limits.effectMs)
    await this.#ask(pass, async () => {
      const passage = gate.enter(pass.signal)
      const fields = { ...pass.logFields, external: what, ...(why === undefined ? {} : { why }) }
      log.info(fields, `${operation} outside the cluster`)
      try {
        const limit = { clock, limitMs: limits.effectMs, signal: passage.signal, tooLate }
        await withinLimit(limit, (signal) => run({ ...call, signal }))
      } catch (thrown) {
        // The error of an aborted call says nothing.
        throw passage.signal.aborted ? passage.signal.reason : thrown
      } finally {
        passage.end()
      }
    })
  }

  async #ask<T>({ signal }: Pass, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      signal.throwIfAborted()
      throw new DriverFailure(thrown)
    }
  }

  /** `database "shop"` */
  #what({ externalName }: ExternalCall<unknown>): string {
    return `${this.#options.name} ${quoted(externalName)}`
  }
}

interface CallParts {
  readonly desired: unknown
  readonly externalName: string
  readonly record: ExternalRecord | undefined
  readonly adopts?: boolean | undefined
}

interface Effect {
  /** `create` */
  readonly operation: string
  readonly run: (call: ExternalCall<unknown>) => Promise<void>
  readonly why?: string
}

/** Distinguishes errors of the driver from errors of the cluster. */
class DriverFailure {
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** It is unknown whether the effect took place; the next observation shows it. */
function timedOut(what: string, limitMs: number): CodedError {
  const message = `${what} was given up after ${limitMs / 1_000} s without an answer`
  return new CodedError({ code: 'DependencyTimeout', message, remedy: 'retry' })
}

function isNameTaken(thrown: unknown): boolean {
  return thrown instanceof CodedError && thrown.code === 'AlreadyExists'
}

/** Others change the resource between any two observations. */
function unsettled(name: string): ExternalState {
  const message = `the ${name} was another at every look of this turn`
  return { state: 'failed', reason: 'Unsettled', message, end: 'retry' }
}
