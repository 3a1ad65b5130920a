// What must be known of the world before a user can be made or judged? Small JSON facts: whether and where it may be, and what its
// Secret should hold. They hold passwords, and stay in memory (I11).
import type { Abandonment } from './abandonment.ts'
import type { Held } from './rotation.ts'
import type { Problem, UserTarget } from './user-target.ts'

export interface DatabaseUserFacts {
  /** What keeps it from its databases. */
  readonly problem?: Problem
  /** The server and the databases, as far as they are known. */
  readonly target?: UserTarget
  /** What the Secret should hold; absent: there should be none, or it cannot be made yet. */
  readonly held?: Held
  /** What stands in the way of a password: its source is missing, or has a value that cannot be used. */
  readonly trouble?: PasswordTrouble
  /** A credential that was lost had to be made anew. */
  readonly isRemade: boolean
  /** The hash of the credential that has proved to be the server's. */
  readonly provenHash?: string
  /** On a deleted user with the annotation. */
  readonly abandonment?: Abandonment
  /** When a login was last to expire, as its role was seen; milliseconds since the epoch. */
  readonly lastExpiryMs?: number
}

export interface PasswordTrouble {
  readonly reason: 'SourceMissing' | 'SecretNotAllowed' | 'InvalidPassword'
  readonly message: string
}
