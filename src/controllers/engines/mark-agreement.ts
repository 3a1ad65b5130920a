// Agreement of the two ownership markers of a database: its own comment, and the comment of the role that owns it. Invariant: a comment on a
// database alone proves nothing, because the database's owner can write it; the comment on a role needs CREATEROLE.
import type { ObservedDatabase } from './observed-server.ts'

type Marks = Pick<ObservedDatabase, 'token' | 'ownerToken'>

/** True where the owner's marker names `uid`, and the database's own marker does not name another. */
export function isMarkedFor({ token, ownerToken }: Marks, uid: string): boolean {
  return ownerToken?.uid === uid && (token === undefined || token.uid === uid)
}
