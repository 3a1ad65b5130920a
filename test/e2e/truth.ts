// Truth: a change outside the operator, the columns of `kubectl get db,dbu` that must show it within a cadence, and its
// reversal. A Correction is a change that the operator reverts by itself. The rows are in server-truths.ts and
// database-truths.ts.
import type { DatabaseUserSpecInput } from '../../imports/wire/database-user.ts'
import type { UserStage } from '../controllers/database-user/user-stage.ts'
import type { PostgresOptions, PostgresServer } from '../postgres/postgres-server.ts'

export interface Scene {
  readonly server: PostgresServer
  readonly stage: UserStage
}

/** Differences from the usual fixture: a superuser, no TLS, drift corrected. */
export interface Setting {
  readonly server?: PostgresOptions
  /** Role of the operator: one with CREATEDB and CREATEROLE only, or a superuser other than the first. */
  readonly admin?: 'limited' | 'superuser'
  readonly sslMode?: 'verify-full'
  readonly databaseSpec?: object
  readonly userSpec?: Partial<DatabaseUserSpecInput>
}

export type Deed = (scene: Scene) => Promise<unknown>

/** Pattern like `True InSync`: READY and REASON as kubectl shows them, or status and reason of a condition. */
type Standing = string

export interface Truth extends Setting {
  readonly title: string
  readonly make: Deed
  readonly database: Standing
  readonly user: Standing
  /** Further conditions by type; `-`: the condition is absent. */
  readonly databaseConditions?: Readonly<Record<string, Standing>>
  readonly userConditions?: Readonly<Record<string, Standing>>
  readonly mend: Deed
  /** Milliseconds beyond one cadence until the change shows, and until its correction shows. Default: 0. */
  readonly toldLateMs?: number
  readonly mendedLateMs?: number
}

/** Change that the operator reverts by itself. */
export interface Correction extends Setting {
  readonly title: string
  readonly make: Deed
  readonly isRight: (scene: Scene) => Promise<boolean>
}

/** Login of the operator if it is not the server's first superuser. */
export const operatorRole = { username: 'op', password: 'op-password' } as const

/** Columns of the object that the change does not concern. */
export const asBefore = 'True InSync'
/** Ends the sessions of the operator. */
export const endSessions = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'konverge%'`

export const byHand =
  (...statements: readonly string[]): Deed =>
  async ({ server }) => {
    for (const statement of statements) await server.byHand(statement)
  }

/** Runs the statements in the database itself. */
export const inside =
  (...statements: readonly string[]): Deed =>
  async ({ server }) => {
    for (const statement of statements) await server.byHand(statement, { database: 'truth' })
  }
