// Reads the globals of a PostgreSQL database, and the ledger of roles created from them.

import type { DatabaseServer } from '../../engine.ts'
import type { DatabaseGlobals } from '../../globals.ts'
import { settingIn } from '../role-setting.ts'
import { type GlobalsAnswer, globalsQuestion } from './globals-question.ts'
import { type Ledger, ledgerIn } from './ledger.ts'

export interface GlobalsCall {
  readonly database: string
  /** Name of a replication's role and publication, which are excluded. */
  readonly spared: string
}

/** Reads the globals. Requires a superuser. */
export async function readGlobals(server: DatabaseServer, { database, spared }: GlobalsCall): Promise<DatabaseGlobals> {
  const question = { text: globalsQuestion, values: [spared], database }
  // Sound: the types are those that the question builds.
  const answer = (await server.queryJson(question, 'roles and settings')) as GlobalsAnswer
  const { roles, memberships, settings, grants, extensions, owned, immovable, neighbours, ...rest } = answer
  return {
    ...rest,
    roles: roles ?? [],
    memberships: memberships ?? [],
    settings: (settings ?? []).map(({ role, database: at, text }) => ({
      role: role ?? undefined,
      database: at ?? undefined,
      ...settingIn(text),
    })),
    grants: grants ?? [],
    extensions: extensions ?? [],
    owned: owned ?? [],
    immovable: immovable ?? [],
    neighbours: neighbours ?? [],
  }
}

/** Returns the ledger in the role's comment. Undefined if the role does not exist or has no ledger. */
export async function readLedger(server: DatabaseServer, role: string): Promise<Ledger | undefined> {
  const rows = await server.query({ text: commentQuestion, values: [role], isLook: true })
  const comment = rows[0]?.['comment']
  return typeof comment === 'string' ? ledgerIn(comment) : undefined
}

const commentQuestion = `SELECT pg_catalog.shobj_description(r.oid, 'pg_authid') AS comment
  FROM pg_catalog.pg_roles r WHERE r.rolname = $1`
