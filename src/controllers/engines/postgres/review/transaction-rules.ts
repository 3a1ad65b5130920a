// Statements that cannot run in a transaction. Source: the callers of PreventInTransactionBlock in PostgreSQL 15 to 18.
// REINDEX and CLUSTER of a partitioned table are not detected, because they look like those of a plain one; the server
// rejects them. ALTER TYPE … ADD VALUE is allowed since 12.
import { type Fields, fieldsOf, lastName, listOf, optionsOf, stringOf } from './sql-parser.ts'

/** By node name: returns the statement's keywords if it cannot run in a transaction. */
export const outsideTransactions: Readonly<Record<string, (fields: Fields) => string | undefined>> = {
  IndexStmt: ({ concurrent }) => (concurrent === true ? 'CREATE INDEX CONCURRENTLY' : undefined),
  DropStmt: ({ concurrent }) => (concurrent === true ? 'DROP INDEX CONCURRENTLY' : undefined),
  ReindexStmt: ({ kind, params }) => {
    if (isOn(params, 'concurrently')) return 'REINDEX CONCURRENTLY'
    return kind === 'REINDEX_OBJECT_INDEX' || kind === 'REINDEX_OBJECT_TABLE'
      ? undefined
      : 'REINDEX of more than a table'
  },
  VacuumStmt: ({ is_vacuumcmd: isVacuum }) => (isVacuum === true ? 'VACUUM' : undefined),
  ClusterStmt: ({ relation }) => (relation === undefined ? 'CLUSTER of all tables' : undefined),
  CreatedbStmt: () => 'CREATE DATABASE',
  DropdbStmt: () => 'DROP DATABASE',
  AlterDatabaseStmt: ({ options }) =>
    optionsOf(options).some(({ name }) => name === 'tablespace') ? 'ALTER DATABASE SET TABLESPACE' : undefined,
  CreateTableSpaceStmt: () => 'CREATE TABLESPACE',
  DropTableSpaceStmt: () => 'DROP TABLESPACE',
  AlterTableStmt: ({ cmds }) => (listOf(cmds).some(detachesConcurrently) ? 'DETACH PARTITION CONCURRENTLY' : undefined),
  CreateSubscriptionStmt: ({ options }) =>
    isOff(options, 'create_slot') || isOff(options, 'connect') ? undefined : 'CREATE SUBSCRIPTION that makes a slot',
  DropSubscriptionStmt: () => 'DROP SUBSCRIPTION',
  AlterSubscriptionStmt: ({ kind, options }) =>
    refreshes.includes(String(kind)) && !isOff(options, 'refresh') ? 'ALTER SUBSCRIPTION that refreshes' : undefined,
}

const refreshes = ['REFRESH', 'SET_PUBLICATION', 'ADD_PUBLICATION', 'DROP_PUBLICATION'].map(
  (word) => `ALTER_SUBSCRIPTION_${word}`,
)

function detachesConcurrently(command: unknown): boolean {
  const { subtype, def } = fieldsOf(fieldsOf(command)['AlterTableCmd'])
  return subtype === 'AT_DetachPartition' && fieldsOf(fieldsOf(def)['PartitionCmd'])['concurrent'] === true
}

/** An option without a value is on. */
function isOn(options: unknown, name: string): boolean {
  return optionsOf(options).some((option) => option.name === name && !offWords.includes(wordOf(option.value)))
}

function isOff(options: unknown, name: string): boolean {
  return optionsOf(options).some((option) => option.name === name && offWords.includes(wordOf(option.value)))
}

const offWords = ['false', 'off', 'no', '0']

function wordOf(value: unknown): string {
  const { Boolean: truth, Integer: number, TypeName: type } = fieldsOf(value)
  if (truth !== undefined) return String(fieldsOf(truth)['boolval'] ?? false)
  if (number !== undefined) return String(fieldsOf(number)['ival'] ?? 0)
  // The grammar reads an unquoted word as a type name.
  return (lastName(fieldsOf(type)['names']) ?? stringOf(value) ?? '').toLowerCase()
}
