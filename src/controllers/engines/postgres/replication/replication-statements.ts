// SQL that creates and removes the parts of a replication in a transaction. The slot has separate statements, outside
// this transaction.
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

/** Sessions that a target may open: one that replicates, and for a while lost ones. */
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
 * Requires an existing slot. A subscription that creates its own slot cannot be in a transaction, and its text could
 * not be kept out of the log. It copies no rows, because PostgreSQL may lose some of them (docs/decisions/0029).
 */
function createSubscription(change: Of<'createSubscription'>): readonly Sql[] {
  const name = identifier(change.subscription)
  return [
    sql`CREATE SUBSCRIPTION ${name} CONNECTION ${literal(change.connection)} PUBLICATION ${identifier(change.publication)}
      WITH (create_slot = false, slot_name = ${literal(change.slot)}, copy_data = false, synchronous_commit = 'on')`,
    sql`COMMENT ON SUBSCRIPTION ${name} IS ${literal(markOf(change.token))}`,
  ]
}

/** The server does not try the connection. */
function redirect(name: Sql, connection: string): Sql {
  return sql`ALTER SUBSCRIPTION ${name} CONNECTION ${literal(connection)}`
}

/**
 * Redirects the subscription before the drop. Otherwise the server would contact the source, for as long as the source
 * keeps it waiting.
 */
function dropSubscription(name: Sql): readonly Sql[] {
  return [
    sql`ALTER SUBSCRIPTION ${name} DISABLE`,
    sql`ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`,
    redirect(name, nowhere),
    sql`DROP SUBSCRIPTION ${name}`,
  ]
}

type Of<Kind extends ReplicationChange['kind']> = Extract<ReplicationChange, { readonly kind: Kind }>
