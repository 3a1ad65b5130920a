// What is a workflow that is crashed? A story with an end that does not depend on what happened on the way, and the places at which it can
// be disturbed. One that is new says these things and stands in workflows.ts; who tells it, how often and disturbed where, is not its business.
import type { PostgresOptions, PostgresServer } from '../postgres/postgres-server.ts'

export type CrashWorkflow<Blow = unknown> = OnPostgres<Blow> | Elsewhere<Blow>

interface Workflow {
  /** What it is called by on the command line: words with hyphens. */
  readonly name: string
  /** How often it is drawn, against the others: what takes long is drawn seldom. */
  readonly weight: number
  /** What an undisturbed end has to show, at least. */
  readonly whole: object
}

interface OnPostgres<Blow> extends Workflow {
  readonly server?: PostgresOptions
  /** Default: on every version of PostgreSQL. */
  isToldOn?(major: number): boolean
  /** Makes what many tellings share. What it starts ends with the test. */
  start(server: PostgresServer): Promise<CrashStory<Blow>>
}

/** It needs no PostgreSQL. */
interface Elsewhere<Blow> extends Workflow {
  readonly server: 'none'
  start(): Promise<CrashStory<Blow>>
}

export interface CrashStory<Blow = unknown> {
  /** Tells it once, from its beginning, to its end, with these blows in this order; in the end nothing of it is left. */
  tell(blows: readonly Blow[]): Promise<Told<Blow>>
}

export interface Told<Blow> {
  /** What has to be the same however it went: what is there, what was done how often, and what is left behind. */
  readonly end: object
  /** Where it could have been struck. They are asked for where there were no blows. */
  readonly places: readonly Place<Blow>[]
  /** How many of the blows came to pass. */
  readonly struck: number
}

export interface Place<Blow> {
  /** `dieBefore statement 3: CREATE ROLE …` */
  readonly title: string
  readonly blow: Blow
}
