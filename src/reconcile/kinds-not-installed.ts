// Kinds that the API server does not serve. A resource that needs one stops and names it. Objects of an optional kind
// are left out of the desired objects. Pure.
import { CodedError } from '../base/errors.ts'
import { apiVersionOf, groupKindOf, groupResourceOf, type Resource } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import type { Controller } from './definition.ts'

/**
 * Returns the error that ends a reconcile whose controller requires these kinds. Their installation triggers another
 * reconcile.
 */
export function kindsNotInstalled(
  missing: readonly Resource[],
  { owns, childrenIn }: Pick<Controller, 'owns' | 'childrenIn'>,
): CodedError<'KindNotInstalled'> {
  const kinds = missing.map((resource) => `${resource.kind} (${apiVersionOf(resource)})`).join(', ')
  const isElsewhere = missing.every((kind) => owns.some(({ resource }) => groupKindOf(resource) === groupKindOf(kind)))
  const where = childrenIn !== undefined && isElsewhere ? ` of cluster ${childrenIn}` : ''
  const names = missing.map(groupResourceOf).join(', ')
  return new CodedError({
    code: 'KindNotInstalled',
    message: `the API server${where} does not serve ${kinds}; install the CustomResourceDefinition ${names}: the operator goes on by itself then`,
    remedy: 'stop',
  })
}

/** Removes the objects of missing kinds, named as by `groupKindOf`; their dependents do not wait for them. */
export function withoutMissing(
  desired: readonly DesiredObject[],
  missing: readonly string[],
): readonly DesiredObject[] {
  const isKept = ({ object }: DesiredObject) => !missing.includes(groupKindOf(object))
  if (missing.length === 0 || desired.every(isKept)) return desired
  const kept = desired.filter(isKept)
  const indexOf = new Map(kept.map((item, index) => [desired.indexOf(item), index]))
  return kept.map((item) => ({
    ...item,
    dependsOn: item.dependsOn.map((dependency) => ({
      ...dependency,
      on: dependency.on.flatMap((index) => indexOf.get(index) ?? []),
    })),
  }))
}
