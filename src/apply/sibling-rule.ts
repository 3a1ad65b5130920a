// Distinguishes the children of controllers of the same kind: they have the same resource as their owner. Pure.
// Invariant: a child belongs to at most one controller, while its managedFields entry or its label exists.
import { CodedError } from '../base/errors.ts'
import { isCoOwned, isCoOwnedBy } from '../object/co-owner.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { ownedByLabel } from '../synth/membership.ts'

/** The names of a controller on its children. */
export interface MakerNames {
  /** The field manager. */
  readonly manager: string
  /** The value of the label `konverge.dev/owned-by`. */
  readonly ownedBy: string
}

/**
 * True if another controller of the kind created the object, by its managedFields entry or, if that is lost, by the
 * label. For an object with several owners, the marker of `parent` decides about its part.
 */
export function isOfSibling(child: LiveObject, { manager, ownedBy }: MakerNames, parent?: LiveObject): boolean {
  const { managedFields = [], labels } = child.metadata
  if (parent !== undefined && isCoOwned(child)) return !isCoOwnedBy(child, parent.metadata.uid, ownedBy)
  const makers = managedFields.flatMap(({ manager: maker = '', operation, subresource = '' }) =>
    operation === 'Apply' && subresource === '' ? [maker] : [],
  )
  if (makers.includes(manager)) return false
  const label = labels?.[ownedByLabel]
  return makers.some((maker) => areSiblings(maker, manager)) || (label !== undefined && areSiblings(label, ownedBy))
}

/** Returns the rejection of a child whose name another controller of the kind uses. */
export function siblingConflict(parent: LiveObject, live: LiveObject): CodedError<'ConflictingOwner'> {
  const maker = live.metadata.labels?.[ownedByLabel] ?? 'another controller of its kind'
  return new CodedError({
    code: 'ConflictingOwner',
    message: `${describeRef(refOf(live))} exists, made by ${maker} for ${describeRef(refOf(parent))}; give the child of one of the two controllers another name`,
    remedy: 'retry',
  })
}

/** `_` begins the name of a part, and a `+` the suffix of contributions, which own no object. */
function areSiblings(one: string, other: string): boolean {
  return one !== other && !one.includes('+') && one.split('_', 1)[0] === other.split('_', 1)[0]
}
