// Whose is what a driver sees? By the token marked on it, and by the identity that was recorded of it. What is not ours is never
// changed and never removed, unless its taking over was asked for.
import type { ExternalRecord, Token } from './external.ts'

export interface OwnershipInput {
  readonly record: ExternalRecord | undefined
  /** The resource, and its generation now. */
  readonly token: Token
  readonly owner: Token | undefined
  /** Undefined where it could not be told. */
  readonly providerID: string | undefined
  /** What its mark says that it has replaced. */
  readonly succeeds?: string | undefined
  /** For how long after a creation what is seen may lag behind, milliseconds. */
  readonly visibilityDelayMs: number
  readonly nowMs: number
}

export type Ownership =
  | 'ours'
  /** The very one that we made, and its mark has been taken off. */
  | 'unmarked'
  /** Asked for so lately that its mark may be on its way. */
  | 'late'
  /** Somebody else's, or nobody's that we know of. */
  | 'foreign'
  /** Not the one that we made, although it has its name, perhaps even its mark: a copy, or one made in its place. */
  | 'replaced'

export function ownershipOf(input: OwnershipInput): Ownership {
  const { record, token, owner, providerID, succeeds } = input
  const recorded = record?.providerID
  // Put there by us, with a mark that says in the place of what.
  if (succeeds !== undefined && succeeds === recorded && owner?.uid === token.uid) return 'ours'
  if (recorded !== undefined && providerID !== undefined && recorded !== providerID) return 'replaced'
  if (owner !== undefined) return owner.uid === token.uid ? 'ours' : 'foreign'
  if (recorded !== undefined && providerID !== undefined) return 'unmarked'
  return isAskedForLately(input) ? 'late' : 'foreign'
}

/** The time in a record is in whole seconds, and up to so much before the moment. */
const recordedToMs = 1_000

/** Has its creation been asked for within the delay, so that not to see it means nothing yet? */
export function isAskedForLately({
  record,
  visibilityDelayMs,
  nowMs,
}: Pick<OwnershipInput, 'record' | 'visibilityDelayMs' | 'nowMs'>): boolean {
  if (record?.phase !== 'Pending') return false
  // What was asked for far ahead was so by a clock that has been put right since; nobody knows when it was.
  const sinceMs = Math.abs(nowMs - Date.parse(record.requestedAt))
  return visibilityDelayMs > 0 && sinceMs < visibilityDelayMs + recordedToMs
}
