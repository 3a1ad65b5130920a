// A right that an author declares for his own requests, in terms of kinds. The roles of the operator follow from what is declared. Pure.
import type { Resource } from './resource.ts'

/** Verbs of RBAC, in the order in which rules list them. */
export const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const

export type Verb = (typeof verbs)[number]

/**
 * What the author's own requests do to a kind.
 *
 * @example { resource: Deployment, subresource: 'scale', verbs: ['get', 'patch'] }
 */
export interface Right {
  readonly resource: Resource
  /** `scale`, `eviction`, …; absent: the objects themselves. */
  readonly subresource?: string
  /** `apply` needs `patch`, and `create` where the object may not exist yet. */
  readonly verbs: readonly Verb[]
}
