// Recorded review that exceeded its limits. It is in the status, so that no later process of the operator repeats it.
// Pure.
import type { MigrationStep } from '../engines/migration-step.ts'
import type { ReviewRules } from '../engines/step-review.ts'
import type { MigrationObject } from './desired-worker.ts'
import type { Invalid } from './migration-facts.ts'
import { planHash } from './step-digest.ts'

/** Annotation of the user: reconcile now, and retry. */
const reconcileNow = 'konverge.dev/reconcile-now'

export function reviewDigest(steps: readonly MigrationStep[], { requiresVerify }: ReviewRules): string {
  return `${planHash(steps)}${requiresVerify ? '-verified' : ''}`
}

/** Undefined: review the steps. */
export function rejectedReview(object: MigrationObject, digest: string): Invalid | undefined {
  const rejected = object.status?.rejectedReview
  return rejected?.digest !== digest || isRepeatRequested(object) ? undefined : rejected
}

/** True if the user asks to repeat a review that exceeded its limits. */
export function isRepeatRequested({ metadata, status }: MigrationObject): boolean {
  if (status?.rejectedReview === undefined) return false
  const asked = metadata.annotations?.[reconcileNow]
  return asked !== undefined && asked !== status.lastHandledReconcileAt
}
