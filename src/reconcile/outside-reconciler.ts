// Reconciles everything of a resource outside the cluster: first its external resources, then its sagas, which may need
// them; on deletion in reverse. Both keep their journal entries in one status, under one lock.
import type { ExternalReport } from '../external/external.ts'
import type { LiveObject } from '../object/object.ts'
import type { SagaReport } from '../saga/saga.ts'
import { joinedOutcome } from './external-outcome.ts'
import type { ExternalPartResult } from './external-part-result.ts'
import { ExternalsReconciler, type ExternalsReconcilerOptions } from './externals-reconciler.ts'
import { type Child, earliest, type Outcome } from './outcome.ts'
import { SagasReconciler } from './sagas-reconciler.ts'

export interface OutsideSituation {
  readonly facts: unknown
  readonly children: readonly Child[]
  /** True if the children are applied. External effects may need what children store, such as a password. */
  readonly isApplied: boolean
}

export class OutsideReconciler {
  readonly #externals: ExternalsReconciler
  readonly #sagas: SagasReconciler

  constructor(options: ExternalsReconcilerOptions) {
    this.#externals = new ExternalsReconciler(options)
    this.#sagas = new SagasReconciler(options)
  }

  /**
   * Returns the external resources after the last reconcile; those that no reconcile of this process has observed are
   * left out.
   */
  lastReports(object: LiveObject): readonly ExternalReport[] {
    return this.#externals.lastReports(object)
  }

  /** Call when the resource is gone. */
  forget(uid: string): void {
    this.#externals.forget(uid)
  }

  sagaReports(object: LiveObject): readonly SagaReport[] {
    return this.#sagas.reportsOf(object)
  }

  /** Result of a reconcile that reaches neither. */
  untouched(object: LiveObject): ExternalPartResult {
    const { reports, ...turn } = this.#externals.untouched(object)
    return { ...turn, externals: reports, sagas: this.#sagas.reportsOf(object) }
  }

  /** Rejects only when aborted. */
  async provide(object: LiveObject, situation: OutsideSituation, signal: AbortSignal): Promise<ExternalPartResult> {
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

  /** Performs one step of ending the sagas; `isOver` when none is running. Calls `situationOf` only if one is. */
  async endSagas(
    object: LiveObject,
    situationOf: () => Promise<Omit<OutsideSituation, 'isApplied'>>,
    signal: AbortSignal,
  ): Promise<ExternalPartResult & { readonly isOver: boolean }> {
    const { reports: externals } = this.#externals.untouched(object)
    const sagasSituation = async () => ({ ...(await situationOf()), externals })
    const { reports: sagas, outcome, ...turn } = await this.#sagas.remove(object, sagasSituation, signal)
    return { ...turn, outcome: asDeleting(outcome), sagas, externals }
  }

  /**
   * Performs one step of the removal of external resources, after all sagas; `isOver` when none is left. Calls
   * `factsOf` only if one is left.
   */
  async remove(
    object: LiveObject,
    factsOf: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<ExternalPartResult & { readonly isOver: boolean }> {
    const { reports: externals, ...turn } = await this.#externals.remove(object, factsOf, signal)
    return { ...turn, externals, sagas: this.#sagas.reportsOf(object) }
  }
}

/** The end of a saga is part of the deletion. */
function asDeleting(outcome: Outcome): Outcome {
  if (outcome.kind === 'settled') return { kind: 'deleting', on: 'the sagas have ended' }
  return outcome.kind === 'waiting' ? { ...outcome, kind: 'deleting' } : outcome
}
