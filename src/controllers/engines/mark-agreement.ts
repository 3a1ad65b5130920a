// Agreement of the two ownership markers of a database: its own comment, and the comment of its owner role. Invariant:
// a comment on the database alone proves nothing, because the database's owner can write it. A comment on a role needs
// CREATEROLE.
import type { ObservedDatabase } from './observed-server.ts'

type Marks = Pick<ObservedDatabase, 'token' | 'ownerToken'>

/** Returns true if the owner's marker names `uid`, and the database's marker names `uid` or is absent. */
export function isMarkedFor({ token, ownerToken }: Marks, uid: string): boolean {
  return ownerToken?.uid === uid && (token === undefined || token.uid === uid)
}
