// Rejects invalid calls of the typed client before they are sent: a wrong scope, a selector of everything, an update
// without a version. Pure. Invariant: each problem is one clause that names the missing value.
import type { Resource } from '../object/resource.ts'
import { hasRequirement } from '../object/selector-text.ts'
import type { Selection } from './client.ts'

/** A caller without types may omit any value, or pass a value of another type. */
interface GivenPlace {
  readonly namespace?: unknown
  readonly name?: unknown
}

/** Undefined: the kind can have an object with this namespace and name. */
export function placeProblem(resource: Resource, place: GivenPlace): string | undefined {
  const problem = scopeProblem(resource, place.namespace)
  if (problem !== undefined) return problem
  if (!place.name) return 'it has no name; give it one'
  return typeof place.name === 'string' ? undefined : 'its name is no text; give it one'
}

/**
 * Undefined: objects of the kind can be created there. The API server may choose the name; some kinds, such as reviews,
 * have none.
 */
export function scopeProblem({ scope }: Resource, namespace: unknown): string | undefined {
  if (scope === 'Cluster') return namespace === undefined ? undefined : 'the kind has no namespaces; leave it out'
  return typeof namespace === 'string' && namespace !== '' ? undefined : 'the kind has namespaces; name one'
}

/** Undefined: the objects of the namespace can be read, or of all namespaces if none is given. */
export function readProblem(resource: Resource, { namespace }: Selection): string | undefined {
  return namespace === undefined ? undefined : scopeProblem(resource, namespace)
}

/** Undefined: the selection can be deleted. */
export function deletionProblem(resource: Resource, selection: Selection): string | undefined {
  const { namespace, labelSelector, fieldSelector } = selection
  const problem = scopeProblem(resource, namespace)
  if (problem !== undefined || hasRequirement(labelSelector) || hasRequirement(fieldSelector)) return problem
  return 'nothing selects them; give a labelSelector or a fieldSelector'
}

/**
 * Undefined: the API server compares this version with the stored one. Without a version, or with zero, it replaces any
 * version.
 */
export function versionProblem(resourceVersion: unknown): string | undefined {
  if (typeof resourceVersion === 'string' && !/^0*$/.test(resourceVersion)) return undefined
  if (resourceVersion === undefined || resourceVersion === '')
    return 'the object has no metadata.resourceVersion; get it first'
  return `the metadata.resourceVersion ${JSON.stringify(resourceVersion)} is that of no object; get it first`
}
