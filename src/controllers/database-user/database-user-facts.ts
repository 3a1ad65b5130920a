// Facts of a DatabaseUser: whether and where its roles may exist, and the desired content of its Secret.
// Invariant: facts contain passwords, and stay in memory (I11).
import type { Abandonment } from './abandonment.ts'
import type { Held } from './rotation.ts'
import type { Problem, UserTarget } from './user-target.ts'

export interface DatabaseUserFacts {
  /** Reason that its databases cannot be used. */
  readonly problem?: Problem
  /** The server and the databases that are known. */
  readonly target?: UserTarget
  /** Desired content of the Secret; absent if there is none, or it cannot be created yet. */
  readonly held?: Held
  /** Reason that there is no password: its source is missing, or has an invalid value. */
  readonly trouble?: PasswordProblem
  /** A lost credential was replaced by a new one. */
  readonly isRemade: boolean
  /** Hash of the credential that the server is verified to have. */
  readonly provenHash?: string
  /** Set for a deleted user with the annotation. */
  readonly abandonment?: Abandonment
  /** Last time at which a login expired, by the observed roles; milliseconds since the epoch. */
  readonly lastExpiryMs?: number
}

export interface PasswordProblem {
  readonly reason: 'SourceMissing' | 'SecretNotAllowed' | 'InvalidPassword'
  readonly message: string
}
