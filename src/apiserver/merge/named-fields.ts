// Ancestors of owned fields that count as owned too: the fields that the schema names.
// Map entries and list items have their own membership.
// Source: sigs.k8s.io/structured-merge-diff, fieldpath.Set.EnsureNamedFieldsAreMembers.
import { FieldSet, type FieldSetChild } from '../../diff/field-set.ts'
import type { MergeType } from './merge-type.ts'

/** Returns the set plus every schema-named field that is an ancestor of a member. */
export function withNamedFields(type: MergeType | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set
  const children = new Map<string, FieldSetChild>()
  for (const [key, { element, set: below }] of set.children) {
    let belowType: MergeType | undefined
    let isNamed = false
    if (element.kind === 'field') {
      const field = type?.map?.fields.get(element.name)
      isNamed = field !== undefined
      belowType = field?.type ?? type?.map?.elementType
    } else if (element.kind === 'key') belowType = type?.list?.elementType
    const named = withNamedFields(belowType, below)
    const isMember = named.isMember || isNamed
    children.set(key, { element, set: isMember === named.isMember ? named : new FieldSet(isMember, named.children) })
  }
  return new FieldSet(set.isMember, children)
}
