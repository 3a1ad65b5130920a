// Readiness checks: an operator is ready when every controller reconciles or stands by, and every watch is in sync. A
// check's message names the missing part, such as a CRD or a right.
import type { InformerHealth } from '../cache/informer.ts'
import type { HealthCheck } from '../telemetry/health.ts'

/** Part of a controller that readiness depends on. */
export interface Runner {
  readonly name: string
  /** The caches are filled: the controller works, or could. */
  readonly isPrepared: boolean
  readonly health: readonly InformerHealth[]
}

/** Part of the election that readiness depends on. */
export interface ElectionState {
  /** Name of the check. Default: `leader-election`. */
  readonly checkName?: string
  readonly trouble: string | undefined
  readonly standing: string
}

/** Maximum number of failing watches in the report of one controller, which may have thousands. */
const namedWatches = 3

/** Returns the checks. A standby is ready; otherwise, a rolling update of two replicas would block. */
export function readinessChecks(runners: readonly Runner[], election?: ElectionState): readonly HealthCheck[] {
  const checks = runners.map(
    (runner): HealthCheck => ({ probe: 'ready', name: runner.name, check: () => unreadinessOf(runner) }),
  )
  if (election === undefined) return checks
  const check = () => election.trouble
  return [
    ...checks,
    { probe: 'ready', name: election.checkName ?? 'leader-election', check, note: () => election.standing },
  ]
}

/** Returns the reason why a controller is not ready, as one sentence; undefined if it is ready. */
export function unreadinessOf({ isPrepared, health }: Runner): string | undefined {
  const troubled = health.filter(({ state }) => state !== 'synced')
  // A failed watch is more informative than one that has only started.
  troubled.sort((left, right) => Number(left.lastError === undefined) - Number(right.lastError === undefined))
  const sentences = troubled
    .slice(0, namedWatches)
    .map(({ resource, lastError }) => `${resource}: ${lastError ?? 'the first list is on its way'}`)
  const more = troubled.length - sentences.length
  if (more > 0) sentences.push(`and ${more} more of ${health.length} watches`)
  if (sentences.length > 0) return sentences.join('; ')
  return isPrepared ? undefined : 'the caches are in step and the first turns are about to begin'
}
