// Which SQL makes and removes the parts of a replication? Statements that a transaction takes, as the slot is made and dropped by itself.
import type { ReplicationChange } from '../../change.ts'
import { EngineError } from '../../engine-error.ts'
import { markOf } from '../mark.ts'
import { isScramVerifier } from '../scram.ts'
import { commaList, identifier, integer, literal, qualified, type Sql, sql } from '../sql-text.ts'
import { nowhere } from './connection-string.ts'

export function replicationStatements(change: ReplicationChange): readonly Sql[] {
  switch (change.kind) {
    case 'createReplicator':
      return createReplicator(change)
    case 'dropReplicator': {
      const role = identifier(change.role)
      return [sql`REVOKE CONNECT ON DATABASE ${identifier(change.database)} FROM ${role}`, sql`DROP ROLE ${role}`]
    }
    case 'createPublication':
      return createPublication(change)
    case 'dropPublication':
      return [sql`DROP PUBLICATION IF EXISTS ${identifier(change.publication)}`]
    case 'createSubscription':
      return createSubscription(change)
    case 'redirectSubscription':
      return [redirect(identifier(change.subscription), change.connection)]
    case 'dropSubscription':
      return dropSubscription(identifier(change.subscription))
  }
}

/** As many sessions as a target may open: one that follows, and what is left of it for a while when it has lost its way. */
const maxSessions = 10

function createReplicator({ role, database, token, verifier }: Of<'createReplicator'>): readonly Sql[] {
  if (!isScramVerifier(verifier)) {
    const message = 'what was to be stored as a password is no SCRAM verifier, and was not sent'
    throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
  }
  const name = identifier(role)
  return [
    sql`CREATE ROLE ${name} LOGIN REPLICATION BYPASSRLS CONNECTION LIMIT ${integer(maxSessions)} PASSWORD ${literal(verifier)}`,
    sql`COMMENT ON ROLE ${name} IS ${literal(markOf(token))}`,
    sql`GRANT CONNECT ON DATABASE ${identifier(database)} TO ${name}`,
    sql`GRANT pg_read_all_data TO ${name}`,
  ]
}

function createPublication({ publication, tables, token }: Of<'createPublication'>): readonly Sql[] {
  const name = identifier(publication)
  const list = commaList(tables.map((table) => sql`ONLY ${qualified(table.schema, table.name)}`))
  const content = tables.length === 0 ? sql`` : sql` FOR TABLE ${list}`
  return [sql`CREATE PUBLICATION ${name}${content}`, sql`COMMENT ON PUBLICATION ${name} IS ${literal(markOf(token))}`]
}

/**
 * Its slot is there already: with one of its own it could be made in no transaction, and its text be kept out of no log; and rows are no
 * business of its, as PostgreSQL may lose some that it copies (docs/decisions/0029).
 */
function createSubscription(change: Of<'createSubscription'>): readonly Sql[] {
  const name = identifier(change.subscription)
  return [
    sql`CREATE SUBSCRIPTION ${name} CONNECTION ${literal(change.connection)} PUBLICATION ${identifier(change.publication)}
      WITH (create_slot = false, slot_name = ${literal(change.slot)}, copy_data = false, synchronous_commit = 'on')`,
    sql`COMMENT ON SUBSCRIPTION ${name} IS ${literal(markOf(change.token))}`,
  ]
}

/** Nobody is asked whether it leads anywhere. */
function redirect(name: Sql, connection: string): Sql {
  return sql`ALTER SUBSCRIPTION ${name} CONNECTION ${literal(connection)}`
}

/** A server that may ask the source would do so for as long as that one keeps it waiting. */
function dropSubscription(name: Sql): readonly Sql[] {
  return [
    sql`ALTER SUBSCRIPTION ${name} DISABLE`,
    sql`ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`,
    redirect(name, nowhere),
    sql`DROP SUBSCRIPTION ${name}`,
  ]
}

type Of<Kind extends ReplicationChange['kind']> = Extract<ReplicationChange, { readonly kind: Kind }>
