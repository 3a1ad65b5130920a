// Resources whose `status.inventory` another writer uses for something else, as Flux does: their remote children are
// not known. Invariant: such a resource is neither applied nor deleted while it may have any, and the other writer's
// field stays. Pure.
import { hasOtherInventory } from '../apply/remote-children.ts'
import { CodedError, unwatchedRetryMs } from '../base/errors.ts'
import { nameList } from '../base/name-list.ts'
import { isBeingDeleted, type LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf } from '../object/resource.ts'
import type { Controller } from './definition.ts'
import { hintedNamespaces, recordedReach } from './inventory.ts'
import { abandonAnnotation, isAbandoned } from './steering.ts'

type Declared = Pick<Controller, 'owns' | 'retired' | 'childrenIn'>

/** Number of places of each sort that a message names. */
const namedPlaces = 5

/**
 * Returns undefined if the inventory belongs to the operator, or no remote child can exist. None can exist if none was
 * recorded in another namespace or is declared in another cluster, and all kinds of a namespaced resource are
 * namespaced. Also undefined if the resource is being deleted and its user abandons the children.
 */
export function lostInventory(parent: LiveObject, controller: Declared): CodedError<'RecordsNotKept'> | undefined {
  if (!hasOtherInventory(parent) || (isBeingDeleted(parent) && isAbandoned(parent))) return undefined
  const places = possiblePlaces(parent, controller)
  if (places.length === 0) return undefined
  return new CodedError({
    code: 'RecordsNotKept',
    message: `${otherInventory(parent)}, so its children ${places.join(' and ')} cannot be found: have the other writer use another field, and remove status.inventory; or delete these children by hand, and abandon them in a deletion by the annotation ${abandonAnnotation}: "true"`,
    remedy: 'stop',
    retryAfterMs: unwatchedRetryMs,
  })
}

/** Returns the rejection of a remote child if the inventory cannot be written. */
export function noInventory(parent: LiveObject): CodedError<'RecordsNotKept'> {
  return new CodedError({
    code: 'RecordsNotKept',
    message: `${otherInventory(parent)}, so no child is created outside of the resource's namespace: have the other writer use another field, and remove status.inventory`,
    remedy: 'stop',
    retryAfterMs: unwatchedRetryMs,
  })
}

function otherInventory(parent: LiveObject): string {
  return `status.inventory of ${describeRef(refOf(parent))} is not the list that konverge keeps there, because another writer uses the field`
}

/** Places in which children may be that only the inventory records. */
function possiblePlaces(parent: LiveObject, { owns, retired, childrenIn }: Declared): readonly string[] {
  const namespaces = hintedNamespaces(parent)
  const resources = [...owns.map(({ resource }) => resource), ...retired]
  const namespaced = new Set(resources.filter(({ scope }) => scope === 'Namespaced').map(groupKindOf))
  const recorded = [...recordedReach(parent).kinds, ...resources.map(groupKindOf)]
  const kinds = parent.metadata.namespace === undefined ? [] : recorded.filter((kind) => !namespaced.has(kind))
  return [
    ...(childrenIn === undefined ? [] : [`in the cluster ${childrenIn}`]),
    ...(namespaces.length === 0 ? [] : [`in the namespaces ${nameList(namespaces, namedPlaces)}`]),
    ...(kinds.length === 0 ? [] : [`of the kinds ${nameList([...new Set(kinds)], namedPlaces)}`]),
  ]
}
