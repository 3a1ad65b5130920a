// When is the operator ready? When every controller takes turns, or stands by to, and every watch is in step. A check's sentence
// says what is waited for, such as a missing CRD or a right that was not granted.
import type { InformerHealth } from '../cache/informer.ts'
import type { HealthCheck } from '../telemetry/health.ts'

/** A controller, as far as readiness looks at it. */
export interface Runner {
  readonly name: string
  /** Are its caches filled, so that it works or could? */
  readonly isPrepared: boolean
  readonly health: readonly InformerHealth[]
}

/** The election, as far as readiness looks at it. */
export interface Standing {
  /** Of its check. Default: `leader-election`. */
  readonly checkName?: string
  readonly trouble: string | undefined
  readonly standing: string
}

/** How many watches in trouble the report of one controller names: it may have thousands. */
const namedWatches = 3

/** A standby is ready: two replicas could not be replaced one by one if it were not. */
export function readinessChecks(runners: readonly Runner[], election?: Standing): readonly HealthCheck[] {
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

/** What keeps it from being ready, as one sentence; undefined when nothing does. */
export function unreadinessOf({ isPrepared, health }: Runner): string | undefined {
  const troubled = health.filter(({ state }) => state !== 'synced')
  // A watch that failed says more than one that has only begun.
  troubled.sort((left, right) => Number(left.lastError === undefined) - Number(right.lastError === undefined))
  const sentences = troubled
    .slice(0, namedWatches)
    .map(({ resource, lastError }) => `${resource}: ${lastError ?? 'the first list is on its way'}`)
  const more = troubled.length - sentences.length
  if (more > 0) sentences.push(`and ${more} more of ${health.length} watches`)
  if (sentences.length > 0) return sentences.join('; ')
  return isPrepared ? undefined : 'the caches are in step and the first turns are about to begin'
}
