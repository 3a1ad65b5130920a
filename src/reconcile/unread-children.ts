// Remote children that the API server did not return. A recorded one may exist, so its entry stays, unless a user
// abandons a child that the operator may not read. Invariant: a transient failure abandons nothing. Pure.
import { type ChildPlace, describePlace, inventoryEntriesOf, isEntryOf, isSamePlace } from '../apply/remote-children.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import { nameList } from '../base/name-list.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { LiveObject } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { abandonAnnotation, isAbandoned } from './steering.ts'

export interface UnreadChild {
  readonly place: ChildPlace
  /** The thrown error of the read. */
  readonly cause: unknown
}

export interface Unread {
  /** Places of children that could not be read; a recorded one stays recorded. */
  readonly places: readonly ChildPlace[]
  /** One for each of `places`. */
  readonly errors: readonly CodedError[]
  /** Recorded children that the operator may not read. */
  readonly forbidden: readonly ChildPlace[]
  /** The desired objects that can be applied. */
  readonly applicable: readonly DesiredObject[]
  /** Event that names the abandoned children; undefined: none is abandoned. */
  readonly abandoned: EventReport | undefined
}

/** Number of objects in the note, which holds 1,024 bytes. */
const namedChildren = 2

/** A declared child is never abandoned: the next reconcile would create it. */
export function settleUnread(
  parent: LiveObject,
  unread: readonly UnreadChild[],
  desired: readonly DesiredObject[],
): Unread {
  const isDeclared = ({ place }: UnreadChild) => desired.some(({ object }) => isEntryOf(place, object))
  const mayAbandon = (child: UnreadChild) => isForbidden(child) && !isDeclared(child)
  const abandoned = isAbandoned(parent) ? unread.filter(mayAbandon) : []
  const kept = unread.filter((child) => !abandoned.includes(child))
  const places = kept.map(({ place }) => place)
  return {
    places,
    forbidden: kept.filter((child) => isRecorded(parent, child) && isForbidden(child)).map(({ place }) => place),
    errors: kept.map((child) => unreadError(parent, child, mayAbandon(child))),
    applicable: desired.filter(({ object }) => !places.some((place) => isEntryOf(place, object))),
    abandoned: abandonedEvent(abandoned),
  }
}

function abandonedEvent(children: readonly UnreadChild[]): EventReport | undefined {
  if (children.length === 0) return undefined
  const names = children.map(({ place }) => describePlace(place))
  return {
    type: 'Warning',
    reason: 'LeftAlone',
    action: 'Abandon',
    note: `${nameList(names, namedChildren)} stays if it exists: the operator may not read it, and the annotation ${abandonAnnotation} abandons it; delete it by hand`,
  }
}

function isForbidden({ cause }: UnreadChild): boolean {
  return isKubeError(cause, 'Forbidden')
}

function isRecorded(parent: LiveObject, { place }: UnreadChild): boolean {
  return inventoryEntriesOf(parent).some((entry) => isSamePlace(entry, place))
}

function unreadError(parent: LiveObject, child: UnreadChild, mayAbandon: boolean): CodedError {
  const { place, cause } = child
  const { code, remedy, retryAfterMs } =
    cause instanceof CodedError ? cause : { code: 'InternalError', remedy: 'retry' as const, retryAfterMs: undefined }
  const what = isRecorded(parent, child) ? 'is recorded in status.inventory and' : 'is not created, because it'
  const wayOut = mayAbandon
    ? `; or abandon it: delete it by hand, and set the annotation ${abandonAnnotation}: "true" on the resource`
    : ''
  const message = `${describePlace(place)} ${what} cannot be read: ${messageOf(cause)}${wayOut}`
  return new CodedError({ code, message, remedy, retryAfterMs, cause })
}
