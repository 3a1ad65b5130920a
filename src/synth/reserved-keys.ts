// Labels and annotations that only konverge writes: keys of konverge.dev and its subdomains. On a child they decide
// about ownership and deletion, and declared keys often come from a spec. Invariant: no declaration sets one. Pure.
import { steeringAnnotations } from '../object/steering-annotations.ts'
import { nameKeyAnnotation, pruneAnnotation } from './membership.ts'

const domain = 'konverge.dev'

/** Annotations for authors: they control the operator of a child that is a custom resource, or name a child. */
const forAuthors: ReadonlySet<string> = new Set([...Object.values(steeringAnnotations), nameKeyAnnotation])

export interface DeclaredKeys {
  readonly labels: readonly string[]
  readonly annotations: readonly string[]
  /** API group of the resource that declares the keys. Its author owns the keys of this domain. */
  readonly group: string
}

/** Returns the problem with the first reserved key, as a sentence; undefined if there is none. */
export function reservedKeyProblem({ labels, annotations, group }: DeclaredKeys): string | undefined {
  const label = labels.find((key) => isReserved(key, group))
  if (label !== undefined) return sentence('label', label)
  const annotation = annotations.find((key) => isReserved(key, group) && !forAuthors.has(key))
  return annotation === undefined ? undefined : sentence('annotation', annotation)
}

function isReserved(key: string, group: string): boolean {
  const prefix = key.slice(0, Math.max(0, key.indexOf('/')))
  return prefix === domain || (prefix.endsWith(`.${domain}`) && prefix !== group)
}

function sentence(field: string, key: string): string {
  const instead = key === pruneAnnotation ? 'leave it out, or retain the object with retain()' : 'leave it out'
  return `declares the ${field} "${key}", and keys of ${domain} and its subdomains are reserved for konverge; ${instead}`
}
