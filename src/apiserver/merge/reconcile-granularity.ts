// What does a manager own now that a value is shared differently than when the manager wrote it? Who owned anything in what
// has become one piece owns all of it. The other way round needs nothing: an owned path stays owned.
// Source: sigs.k8s.io/structured-merge-diff, typed.ReconcileFieldSetWithSchema.
import type { PathElement } from '../../diff/field-path.ts'
import { FieldSet, type FieldSetChild } from '../../diff/field-set.ts'
import { fieldTypeOf, type MapType, type MergeType } from './merge-type.ts'

/** The very same set if nothing changes. Linear in the set. An object as a whole is nobody's, whatever its type says. */
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

/** Fields that the schema does not have are left as they are. */
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
