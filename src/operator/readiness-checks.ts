// When is the operator ready? When every controller takes turns and every watch is in step. A check's sentence says what is
// waited for, such as a missing CRD or a right that was not granted.
import type { InformerHealth } from '../cache/informer.ts'
import type { HealthCheck } from '../telemetry/health.ts'

/** A controller, as far as readiness looks at it. */
export interface Runner {
  readonly name: string
  readonly isWorking: boolean
  readonly health: readonly InformerHealth[]
}

export function readinessChecks(runners: readonly Runner[]): readonly HealthCheck[] {
  return runners.map((runner) => ({ probe: 'ready', name: runner.name, check: () => unreadinessOf(runner) }))
}

/** What keeps it from being ready, as one sentence; undefined when nothing does. */
export function unreadinessOf({ isWorking, health }: Runner): string | undefined {
  const troubled = health.filter(({ state }) => state !== 'synced')
  const sentences = troubled.map(
    ({ resource, lastError }) => `${resource}: ${lastError ?? 'the first list is on its way'}`,
  )
  if (sentences.length > 0) return sentences.join('; ')
  return isWorking ? undefined : 'the caches are in step and the first turns are about to begin'
}
