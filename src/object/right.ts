// A right that an author declares for their own requests, in terms of kinds. The roles of the operator are
// derived from the declarations. Pure.
import type { Resource } from './resource.ts'

/** Verbs of RBAC, in the order in which rules list them. */
export const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const

/** Verb of RBAC. */
export type Verb = (typeof verbs)[number]

/**
 * Requests of the author's own functions for a kind.
 *
 * @example { resource: Deployment, subresource: 'scale', verbs: ['get', 'patch'] }
 */
export interface Right {
  readonly resource: Resource
  /** `scale`, `eviction`, …; absent: the objects themselves. */
  readonly subresource?: string
  /** `apply` needs `patch`, and `create` if the object may not exist yet. */
  readonly verbs: readonly Verb[]
}
