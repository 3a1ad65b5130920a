// Decides about the owner of an observed external resource, by the token in its marker and by its recorded identity.
// Pure. Invariant: a resource without this token is never changed or removed, unless its adoption was requested.
import type { ExternalRecord, Token } from './external.ts'

export interface OwnershipInput {
  readonly record: ExternalRecord | undefined
  /** UID of the resource, and its current generation. */
  readonly token: Token
  readonly owner: Token | undefined
  /** Undefined if the driver could not read it. */
  readonly providerID: string | undefined
  /** Provider ID of its predecessor, by its marker. */
  readonly succeeds?: string | undefined
  /** Time after a creation in which observations may lag, milliseconds. */
  readonly visibilityDelayMs: number
  readonly nowMs: number
}

export type Ownership =
  | 'ours'
  /** The resource that this operator created, without its marker. */
  | 'unmarked'
  /** Requested so recently that its marker may not be visible yet. */
  | 'late'
  /** It has another owner, or no known one. */
  | 'foreign'
  /**
   * Another resource than the created one, although it has the same name and perhaps the marker: a copy, or a
   * replacement.
   */
  | 'replaced'

export function ownershipOf(input: OwnershipInput): Ownership {
  const { record, token, owner, providerID, succeeds } = input
  const recorded = record?.providerID
  // The operator created it, and its marker names the predecessor.
  if (succeeds !== undefined && succeeds === recorded && owner?.uid === token.uid) return 'ours'
  if (recorded !== undefined && providerID !== undefined && recorded !== providerID) return 'replaced'
  if (owner !== undefined) return owner.uid === token.uid ? 'ours' : 'foreign'
  if (recorded !== undefined && providerID !== undefined) return 'unmarked'
  return isRequestedRecently(input) ? 'late' : 'foreign'
}

/** Times in a journal entry are whole seconds, so they may be this much too early. */
const recordedToMs = 1_000

/** True if its creation was requested within the delay, so that its absence means nothing yet. */
export function isRequestedRecently({
  record,
  visibilityDelayMs,
  nowMs,
}: Pick<OwnershipInput, 'record' | 'visibilityDelayMs' | 'nowMs'>): boolean {
  if (record?.phase !== 'Pending') return false
  // A request time far in the future came from a clock that was corrected since; its real time is unknown.
  const sinceMs = Math.abs(nowMs - Date.parse(record.requestedAt))
  return visibilityDelayMs > 0 && sinceMs < visibilityDelayMs + recordedToMs
}
