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
export function rejectedReview({ metadata, status }: MigrationObject, digest: string): Invalid | undefined {
  const rejected = status?.rejectedReview
  if (rejected?.digest !== digest) return undefined
  const asked = metadata.annotations?.[reconcileNow]
  if (asked !== undefined && asked !== status?.lastHandledReconcileAt) return undefined
  return rejected
}
