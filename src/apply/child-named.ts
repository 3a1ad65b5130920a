// Finds one child among all children of a parent. Pure.
import type { KubeObject, LiveObject } from '../object/object.ts'
import { isOf, type Resource } from '../object/resource.ts'
import type { Child } from './apply-report.ts'

/** A parent with its children, as the functions of a controller get them. */
export interface Family<T extends LiveObject | Child = LiveObject | Child> {
  readonly object: Pick<KubeObject, 'metadata'>
  readonly children: readonly T[]
}

/**
 * Returns the child of this kind and name, unchanged from `children`, or undefined. Namespaced children are searched in
 * the namespace of the parent, unless `namespace` names another: a name is unique only within a namespace.
 *
 * @example
 * status: (context) => {
 *   const isServing = childNamed(context, Deployment, 'web')?.readiness.kind === 'ready'
 *   return { fields: { isServing }, conditions: [] }
 * }
 */
export function childNamed<T extends LiveObject | Child>(
  { object: parent, children }: Family<T>,
  resource: Resource,
  name: string,
  namespace = parent.metadata.namespace,
): T | undefined {
  const expected = resource.scope === 'Cluster' ? undefined : namespace
  return children.find((child) => {
    const object = objectOf(child)
    return isOf(resource, object) && object.metadata.name === name && object.metadata.namespace === expected
  })
}

function objectOf(child: LiveObject | Child): LiveObject {
  return isChild(child) ? child.object : child
}

function isChild(child: LiveObject | Child): child is Child {
  return 'readiness' in child
}
