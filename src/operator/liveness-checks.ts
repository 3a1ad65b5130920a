// Liveness checks of the controllers. Invariant: a check fails only for faults that a restart corrects; a slow server
// or a failing resource is no such fault.
import type { HealthCheck } from '../telemetry/health.ts'

/** Part of a controller that liveness depends on. */
export interface LivingRunner {
  readonly name: string
  /** Milliseconds during which resources were ready and no reconcile started or ended; 0 if none is ready. */
  readonly idleForMs: number
  /** Time limit of one reconcile. */
  readonly reconcileLimitMs: number
}

/**
 * Returns checks that fail after twice the limit of a reconcile. By then, every reconcile has ended or ignores its
 * aborted signal.
 */
export function livenessChecks(runners: readonly LivingRunner[]): readonly HealthCheck[] {
  return runners.map((runner) => ({ probe: 'live', name: runner.name, check: () => stuckSentence(runner) }))
}

function stuckSentence({ idleForMs, reconcileLimitMs }: LivingRunner): string | undefined {
  if (idleForMs <= 2 * reconcileLimitMs) return undefined
  return `resources are ready, and no reconcile has begun or ended for ${Math.round(idleForMs / 1_000)} s`
}
