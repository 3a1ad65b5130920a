// Memory of a review that exceeded its limits: it is in the status, so that another life of the operator does not repeat it either. Pure.
import type { MigrationStep } from '../engines/migration-step.ts'
import type { ReviewRules } from '../engines/step-review.ts'
import type { Invalid } from './migration-facts.ts'
import { planHash } from './step-digest.ts'
import type { MigrationObject } from './worker-wish.ts'

/** The user's word to reconcile at once, and to try again. */
const reconcileNow = 'konverge.dev/reconcile-now'

export function reviewDigest(steps: readonly MigrationStep[], { requiresVerify }: ReviewRules): string {
  return `${planHash(steps)}${requiresVerify ? '-verified' : ''}`
}

/** Undefined: the steps are to be reviewed. */
export function rejectedReview(object: MigrationObject, digest: string): Invalid | undefined {
  const rejected = object.status?.rejectedReview
  return rejected?.digest !== digest || isRepeatAsked(object) ? undefined : rejected
}

/** The user asks for a review that has exceeded its limits once more. */
export function isRepeatAsked({ metadata, status }: MigrationObject): boolean {
  if (status?.rejectedReview === undefined) return false
  const asked = metadata.annotations?.[reconcileNow]
  return asked !== undefined && asked !== status.lastHandledReconcileAt
}
