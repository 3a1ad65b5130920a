// Ownership after a schema change of granularity: the owner of any part of a now atomic value owns all of it.
// The other direction needs no change: an owned path stays owned.
// Source: sigs.k8s.io/structured-merge-diff, typed.ReconcileFieldSetWithSchema.
import type { PathElement } from '../../diff/field-path.ts'
import { FieldSet, type FieldSetChild } from '../../diff/field-set.ts'
import { fieldTypeOf, type MapType, type MergeType } from './merge-type.ts'

/**
 * Returns the adapted set; the same reference if nothing changes. Cost: linear in the set.
 * The object as a whole never becomes owned, whatever its type says.
 */
export function reconcileGranularity(type: MergeType, set: FieldSet): FieldSet {
  const { map } = type
  return map === undefined || map.isAtomic || map.isDeduced ? set : reconcileChildren(set, fieldTypes(map))
}

function reconcile(type: MergeType, set: FieldSet): FieldSet {
  if (set.children.size === 0 || type.map?.isDeduced === true) return set
  if (type.map !== undefined) return type.map.isAtomic ? FieldSet.leaf : reconcileChildren(set, fieldTypes(type.map))
  if (type.list === undefined) return set
  const { isAtomic, elementType } = type.list
  return isAtomic ? FieldSet.leaf : reconcileChildren(set, () => elementType)
}

function fieldTypes(map: MapType): (element: PathElement) => MergeType | undefined {
  return (element) => (element.kind === 'field' ? fieldTypeOf(map, element.name) : map.elementType)
}

/** Adapts the children. Fields without a schema stay the same. */
function reconcileChildren(set: FieldSet, typeAt: (element: PathElement) => MergeType | undefined): FieldSet {
  let changed: Map<string, FieldSetChild> | undefined
  for (const [key, { element, set: before }] of set.children) {
    const type = typeAt(element)
    const after = type === undefined ? before : reconcile(type, before)
    if (after === before) continue
    changed ??= new Map(set.children)
    changed.set(key, { element, set: after })
  }
  return changed === undefined ? set : new FieldSet(set.isMember, changed)
}
