// Liveness of the controllers. Invariant: a failure is what only a restart mends, so a slow server or a failing resource is none.
import type { HealthCheck } from '../telemetry/health.ts'

/** A controller, as far as liveness looks at it. */
export interface LivingRunner {
  readonly name: string
  /** For how long resources have been ready while no reconcile began or ended; 0 if none is ready. */
  readonly idleForMs: number
  /** What one reconcile may take. */
  readonly reconcileLimitMs: number
}

/** Each fails after twice the time that one reconcile may take: by then every reconcile has ended, or ignores that it was cut off. */
export function livenessChecks(runners: readonly LivingRunner[]): readonly HealthCheck[] {
  return runners.map((runner) => ({ probe: 'live', name: runner.name, check: () => stuckSentence(runner) }))
}

function stuckSentence({ idleForMs, reconcileLimitMs }: LivingRunner): string | undefined {
  if (idleForMs <= 2 * reconcileLimitMs) return undefined
  return `resources are ready, and no reconcile has begun or ended for ${Math.round(idleForMs / 1_000)} s`
}
