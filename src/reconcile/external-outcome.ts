// Effect of the external resources on the outcome of a reconcile. A transient failure is retried, a permanent one
// stops, and unfinished work is waited for. The children are reconciled in any case.
import { unreachable } from '../base/assert.ts'
import { deepEqual, type Json } from '../base/json.ts'
import type { ExternalReport } from '../external/external.ts'
import type { Provision } from '../external/provision.ts'
import type { Outcome } from './outcome.ts'

type Judged = Pick<Provision, 'report' | 'end' | 'retryAfterMs' | 'graceMs'>

/** One retryable External makes the reconcile a retry, which repeats the others too. */
export function outcomeOfExternals(provisions: readonly Judged[]): Outcome {
  const [failed] = provisions.filter(({ end }) => end === 'retry')
  if (failed !== undefined) {
    const { reason, message } = failed.report
    return { kind: 'retry', reason, message, retryAfterMs: failed.retryAfterMs, graceMs: failed.graceMs }
  }
  const [stopped] = provisions.filter(({ end }) => end === 'stopped')
  if (stopped !== undefined) return { kind: 'stopped', reason: stopped.report.reason, message: stopped.report.message }
  const waits = provisions.filter(({ end }) => end === 'waiting').map(({ report }) => report.message)
  return waits.length === 0 ? { kind: 'settled' } : { kind: 'waiting', on: waits.join('; ') }
}

const weights: Readonly<Record<Outcome['kind'], number>> = { retry: 4, stopped: 3, deleting: 2, waiting: 1, settled: 0 }

/** The children's outcome wins if both have the same weight. */
export function joinedOutcome(children: Outcome, externals: Outcome): Outcome {
  if (children.kind === 'waiting' && externals.kind === 'waiting') {
    const on = children.on === externals.on ? children.on : `${children.on}; ${externals.on}`
    return { ...children, on, afterMs: children.afterMs ?? externals.afterMs }
  }
  return weights[children.kind] >= weights[externals.kind] ? children : externals
}

/** Returns the effect of the removal of external resources on a deletion; undefined when none is left. */
export function outcomeOfRemoval(provisions: readonly Judged[]): Outcome | undefined {
  const outcome = outcomeOfExternals(provisions)
  switch (outcome.kind) {
    case 'settled':
      return undefined
    case 'waiting':
      return { kind: 'deleting', on: outcome.on }
    case 'retry':
    case 'stopped':
    case 'deleting':
      return outcome
    default:
      return unreachable(outcome)
  }
}

/** True if the external resources differ in what `observe` can read of them. */
export function isChange(told: readonly ExternalReport[], now: readonly ExternalReport[]): boolean {
  // Sound: an observation of a driver is JSON, or its change would not be noticed.
  return !deepEqual(told.map(essence) as Json[], now.map(essence) as Json[])
}

function essence({ name, state, providerID, observed }: ExternalReport) {
  return { name, state, providerID, observed }
}
