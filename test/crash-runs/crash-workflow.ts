// Workflow of the crash runs: a story whose end does not depend on faults, and the places at which a fault can be
// injected.
// A new one implements this interface and is listed in workflows.ts. It does not know how often it runs, and with which
// faults.
import type { PostgresOptions, PostgresServer } from '../postgres/postgres-server.ts'

export type CrashWorkflow<Blow = unknown> = OnPostgres<Blow> | Elsewhere<Blow>

interface Workflow {
  /** Name on the command line: words with hyphens. */
  readonly name: string
  /** Relative frequency in a draw; a slow workflow has a low weight. */
  readonly weight: number
  /** Fields that the end of a run without faults has at least. */
  readonly whole: object
}

interface OnPostgres<Blow> extends Workflow {
  readonly server?: PostgresOptions
  /** Returns true if the workflow runs on this version. Default: every version of PostgreSQL. */
  isToldOn?(major: number): boolean
  /** Creates what many runs share. It ends with the test. */
  start(server: PostgresServer): Promise<CrashStory<Blow>>
}

/** A workflow without PostgreSQL. */
interface Elsewhere<Blow> extends Workflow {
  readonly server: 'none'
  start(): Promise<CrashStory<Blow>>
}

export interface CrashStory<Blow = unknown> {
  /**
   * Runs the story once from its beginning to its end, with these faults in order; afterwards nothing of it remains.
   */
  tell(blows: readonly Blow[]): Promise<Told<Blow>>
}

export interface Told<Blow> {
  /** End state that must be equal in all runs: existing objects, number of effects, and leftovers. */
  readonly end: object
  /** Places of possible faults, which the runner reads after a run without faults. */
  readonly places: readonly Place<Blow>[]
  /** Number of injected faults. */
  readonly struck: number
}

export interface Place<Blow> {
  /** For example `dieBefore statement 3: CREATE ROLE …`. */
  readonly title: string
  readonly blow: Blow
}
