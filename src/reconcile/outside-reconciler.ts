// Looks after all that is done outside of a resource's objects: first the things outside, then the sagas, which may need them; on
// deletion the other way round. Both keep their records in one place, written under one lock.
import type { ExternalReport } from '../external/external.ts'
import type { LiveObject } from '../object/object.ts'
import type { SagaReport } from '../saga/saga.ts'
import { joinedOutcome } from './external-outcome.ts'
import { ExternalsReconciler, type ExternalsReconcilerOptions } from './externals-reconciler.ts'
import { type Child, earliest, type Outcome } from './outcome.ts'
import type { OutsideTurn } from './outside-turn.ts'
import { SagasReconciler } from './sagas-reconciler.ts'

export interface OutsideSituation {
  readonly facts: unknown
  readonly children: readonly Child[]
  /** Are the children applied? What is outside may need what is kept in the cluster, as a password. */
  readonly isApplied: boolean
}

export class OutsideReconciler {
  readonly #externals: ExternalsReconciler
  readonly #sagas: SagasReconciler

  constructor(options: ExternalsReconcilerOptions) {
    this.#externals = new ExternalsReconciler(options)
    this.#sagas = new SagasReconciler(options)
  }

  /** How the last turn left the things outside; those that no turn of this process has looked at are left out. */
  lastReports(object: LiveObject): readonly ExternalReport[] {
    return this.#externals.lastReports(object)
  }

  /** The resource is gone. */
  forget(uid: string): void {
    this.#externals.forget(uid)
  }

  sagaReports(object: LiveObject): readonly SagaReport[] {
    return this.#sagas.reportsOf(object)
  }

  /** A turn that does not come to any of it. */
  untouched(object: LiveObject): OutsideTurn {
    const { reports, ...turn } = this.#externals.untouched(object)
    return { ...turn, externals: reports, sagas: this.#sagas.reportsOf(object) }
  }

  /** Rejects only when aborted. */
  async provide(object: LiveObject, situation: OutsideSituation, signal: AbortSignal): Promise<OutsideTurn> {
    const externals = this.#externals
    const things = situation.isApplied
      ? await externals.provide(object, situation, signal)
      : externals.untouched(object)
    const { reports, records } = things
    const undertakings = await this.#sagas.provide(object, { ...situation, externals: reports, records }, signal)
    return {
      externals: reports,
      sagas: undertakings.reports,
      records: undertakings.records,
      outcome: joinedOutcome(things.outcome, undertakings.outcome),
      lookMs: earliest(things.lookMs, undertakings.lookMs),
    }
  }

  /** One step of ending what is undertaken; `isOver` when nothing is. `situationOf` is asked only if something is. */
  async endSagas(
    object: LiveObject,
    situationOf: () => Promise<Omit<OutsideSituation, 'isApplied'>>,
    signal: AbortSignal,
  ): Promise<OutsideTurn & { readonly isOver: boolean }> {
    const { reports: externals } = this.#externals.untouched(object)
    const sagasSituation = async () => ({ ...(await situationOf()), externals })
    const { reports: sagas, outcome, ...turn } = await this.#sagas.remove(object, sagasSituation, signal)
    return { ...turn, outcome: asDeleting(outcome), sagas, externals }
  }

  /** One step of taking things away, once no saga needs them; `isOver` when nothing is left. `factsOf` is asked only if something is. */
  async remove(
    object: LiveObject,
    factsOf: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<OutsideTurn & { readonly isOver: boolean }> {
    const { reports: externals, ...turn } = await this.#externals.remove(object, factsOf, signal)
    return { ...turn, externals, sagas: this.#sagas.reportsOf(object) }
  }
}

/** What ends something is part of the deletion. */
function asDeleting(outcome: Outcome): Outcome {
  if (outcome.kind === 'settled') return { kind: 'deleting', on: 'the sagas have ended' }
  return outcome.kind === 'waiting' ? { ...outcome, kind: 'deleting' } : outcome
}
