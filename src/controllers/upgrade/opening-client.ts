// Opens the target of an upgrade for applications: a rehearsal, then one transaction that also drops the move's role.
// Invariant: before the transaction no application can log in; after it, exactly the frozen roles can.

import { passwordFrom, type SecretSource, type StepObservation } from '../../index.ts'
import type { DatabaseEngine, DatabaseServer } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import { scramVerifier } from '../engines/postgres/scram.ts'
import { qualified, sql } from '../engines/postgres/sql-text.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import type { FreezeRecord } from '../engines/write-freeze.ts'
import { type SideOrder, sideRole } from './new-side.ts'
import { observeSide } from './new-side-worker.ts'
import { openingObservation, rehearsalFailure } from './opening.ts'
import { stopped, type UpgradeError } from './upgrade-error.ts'

export interface OpeningTools {
  readonly engine: DatabaseEngine
  /** Access to the source server; this and `new` as a superuser. */
  readonly old: ServerAccess
  readonly new: ServerAccess
  readonly secrets: SecretSource
}

export interface VerifyQuery {
  readonly sql: string
  readonly expect: string
}

export class Opening {
  readonly #order: SideOrder
  readonly #tools: OpeningTools
  readonly #signal: AbortSignal
  readonly #old: DatabaseServer
  readonly #new: DatabaseServer

  constructor(order: SideOrder, tools: OpeningTools, signal: AbortSignal) {
    this.#order = order
    this.#tools = tools
    this.#signal = signal
    this.#old = tools.engine.server(tools.old, { caller: order.caller, signal })
    this.#new = tools.engine.server(tools.new, { caller: order.caller, signal })
  }

  /** `missing`: no application can log in to the target, and none could since its creation. */
  async look(record: FreezeRecord): Promise<StepObservation> {
    const roles = record.logins.map((name) => ({ name }))
    const [standing, seen] = await Promise.all([observeSide(this.#order, this.#new), this.#new.observe({ roles })])
    return openingObservation(standing, record, seen.roles)
  }

  /** Checks that the frozen roles exist, fills materialized views, runs the queries. Rejects at the first failure. */
  async rehearse(record: FreezeRecord, queries: readonly VerifyQuery[]): Promise<void> {
    const seen = await this.#new.observe({ roles: record.logins.map((name) => ({ name })) })
    const failure = rehearsalFailure(record, seen.roles)
    if (failure !== undefined) throw failure
    const views = await this.#emptyViews()
    if (views.length === 0 && queries.length === 0) return
    const [high] = views.filter(({ isOfSuperuser }) => isOfSuperuser)
    if (high !== undefined) throw superusersView(high)
    const trial = await this.#admit(views.map(({ owner }) => owner))
    try {
      await this.#fill(trial, views)
      await this.#ask(trial, queries)
    } finally {
      await this.#new.change([{ kind: 'alterRole', role: sideRole(this.#order), attributes: { canLogin: false } }])
    }
  }

  /** Lets applications log in. From then on they write to the target. */
  async open(record: FreezeRecord): Promise<void> {
    const standing = await observeSide(this.#order, this.#new)
    if (standing.kind === 'opened') return
    await this.#new.change([
      ...record.logins.map((role) => ({ kind: 'alterRole', role, attributes: { canLogin: true } }) as const),
      { kind: 'dropRole', role: sideRole(this.#order) },
    ])
  }

  /** Returns materialized views that are populated at the source, and not yet at the target. */
  async #emptyViews(): Promise<readonly View[]> {
    const { database } = this.#order
    const ask = async (server: DatabaseServer) =>
      (await server.queryJson({ text: viewsQuestion, database }, 'views')) as readonly View[] // Sound: the statement builds it.
    const [old, young] = await Promise.all([ask(this.#old), ask(this.#new)])
    const nameOf = ({ schema, name }: View) => JSON.stringify([schema, name])
    const full = new Set(old.filter(({ isFull }) => isFull).map(nameOf))
    return young.filter((view) => !view.isFull && full.has(nameOf(view)))
  }

  /**
   * Lets the move's role log in, as a member of the owners and of no other role. Authors of views and queries can run
   * any code with the privileges of the role that executes them.
   */
  async #admit(owners: readonly string[]): Promise<DatabaseServer> {
    const { caller, database } = this.#order
    const role = sideRole(this.#order)
    const { databases } = await this.#new.observe({ databases: [database] })
    const all = new Set([...owners, ...databases.map(({ owner }) => owner)])
    const password = passwordFrom(this.#tools.secrets, 32)
    const verifier = scramVerifier({ password, salt: this.#tools.secrets.bytes(16) })
    await this.#new.change([
      { kind: 'alterRole', role, attributes: { canLogin: true, verifier } },
      ...[...all].map(
        (owner) => ({ kind: 'grantMembership', role: owner, member: role, inherits: true, canSet: true }) as const,
      ),
    ])
    const access = { ...this.#tools.new, username: role, password }
    return this.#tools.engine.server(access, { caller, signal: this.#signal })
  }

  /** Fills the views in passes, because views may depend on each other. Rejects when a pass fills none. */
  async #fill(trial: DatabaseServer, views: readonly View[]): Promise<void> {
    for (let left = views; left.length > 0; ) {
      const later: View[] = []
      let failure: unknown
      for (const view of left) {
        const text = sql`REFRESH MATERIALIZED VIEW ${qualified(view.schema, view.name)}`
        await trial.query({ text, database: this.#order.database }).catch((error: unknown) => {
          if (!(error instanceof EngineError) || error.remedy === 'retry') throw error
          failure = error
          later.push(view)
        })
      }
      if (later.length === left.length) throw failure
      left = later
    }
  }

  async #ask(trial: DatabaseServer, queries: readonly VerifyQuery[]): Promise<void> {
    for (const { sql: text, expect } of queries) {
      const [row] = await trial.query({ text, database: this.#order.database })
      const answer = row === undefined ? undefined : Object.values(row)[0]
      if (answer === expect) continue
      // The message omits the answer, which may be user data (I11).
      const message = `the query ${JSON.stringify(text.slice(0, 200))} did not answer ${JSON.stringify(expect)} at the new side`
      throw stopped('QueryFailed', message)
    }
  }
}

interface View {
  readonly schema: string
  readonly name: string
  readonly owner: string
  readonly isFull: boolean
  readonly isOfSuperuser: boolean
}

/** Error for a superuser's view: filling it needs membership in its owner, and runs code of other roles. */
function superusersView({ name, owner }: View): UpgradeError {
  const message = `materialized view ${name} of superuser ${owner} would be filled with his rights, and what it calls is others'; give it to another role at the old server, or drop it`
  return stopped('NotMovable', message)
}

const viewsQuestion = `SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', v.schemaname, 'name', v.matviewname,
    'owner', v.matviewowner, 'isFull', v.ispopulated, 'isOfSuperuser', r.rolsuper) ORDER BY v.schemaname, v.matviewname), '[]') AS answer
  FROM pg_catalog.pg_matviews v JOIN pg_catalog.pg_roles r ON r.rolname = v.matviewowner`
