// What is a truth about databases and users? What somebody does by hand, what `kubectl get db,dbu` must say of it within a cadence, and
// how it is put right again; or that the operator puts it right by itself. The rows are in server-truths.ts and database-truths.ts.
import type { DatabaseUserSpecInput } from '../../imports/wire/database-user.ts'
import type { UserStage } from '../controllers/database-user/user-stage.ts'
import type { PostgresOptions, PostgresServer } from '../postgres/postgres-server.ts'

export interface Scene {
  readonly server: PostgresServer
  readonly stage: UserStage
}

/** How the scene is set where it is not as usual: a superuser, no TLS, drift put right. */
export interface Setting {
  readonly server?: PostgresOptions
  /** The operator logs in as a role that may make databases and roles, and nothing more, or as a superuser that is not the first. */
  readonly admin?: 'limited' | 'superuser'
  readonly sslMode?: 'verify-full'
  readonly databaseSpec?: object
  readonly userSpec?: Partial<DatabaseUserSpecInput>
}

export type Deed = (scene: Scene) => Promise<unknown>

/** `True InSync`, as a pattern: READY and REASON, as kubectl shows them; and of conditions. */
type Standing = string

export interface Truth extends Setting {
  readonly title: string
  readonly make: Deed
  readonly database: Standing
  readonly user: Standing
  /** Further conditions by type; `-`: it is not claimed. */
  readonly databaseConditions?: Readonly<Record<string, Standing>>
  readonly userConditions?: Readonly<Record<string, Standing>>
  readonly mend: Deed
  /** How much later than a cadence it may be told, and be right again, milliseconds. Default 0. */
  readonly toldLateMs?: number
  readonly mendedLateMs?: number
}

/** What the operator puts right by itself. */
export interface Correction extends Setting {
  readonly title: string
  readonly make: Deed
  readonly isRight: (scene: Scene) => Promise<boolean>
}

/** As whom the operator logs in, where that is not the server's first superuser. */
export const operatorRole = { username: 'op', password: 'op-password' } as const

/** Of the one that is not concerned. */
export const asBefore = 'True InSync'
/** Those of the operator. */
export const endSessions = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'konverge%'`

export const byHand =
  (...statements: readonly string[]): Deed =>
  async ({ server }) => {
    for (const statement of statements) await server.byHand(statement)
  }

/** In the database itself. */
export const inside =
  (...statements: readonly string[]): Deed =>
  async ({ server }) => {
    for (const statement of statements) await server.byHand(statement, { database: 'truth' })
  }
