// SQL that grants and revokes privileges. Invariant: privileges are from closed lists, and object names are qualified.
import type { DefaultGrantChange, DefaultTarget, GrantChange, GrantTarget, Privilege } from '../grant.ts'
import { commaList, identifier, keyword, qualified, type Sql, signature, sql } from './sql-text.ts'

/** Grantable privileges by object type. MAINTAIN exists since PostgreSQL 17. */
export const privilegesOn: Readonly<Record<GrantTarget | DefaultTarget, readonly Privilege[]>> = {
  Database: ['CONNECT', 'CREATE', 'TEMPORARY'],
  Schema: ['CREATE', 'USAGE'],
  Table: ['DELETE', 'INSERT', 'MAINTAIN', 'REFERENCES', 'SELECT', 'TRIGGER', 'TRUNCATE', 'UPDATE'],
  Column: ['INSERT', 'REFERENCES', 'SELECT', 'UPDATE'],
  Sequence: ['SELECT', 'UPDATE', 'USAGE'],
  Function: ['EXECUTE'],
  Type: ['USAGE'],
}

/** Maximum names in one statement, well below every limit. */
export const namesAStatement = 500

export function grantStatements(change: GrantChange): readonly Sql[] {
  const { names, on } = change
  // Schemas and databases are few. The columns of one table form one list.
  const batches = Array.from({ length: Math.ceil(names.length / namesAStatement) }, (_, at) =>
    names.slice(at * namesAStatement, (at + 1) * namesAStatement),
  )
  return batches.flatMap((batch) => {
    const what = on === 'Column' ? columnPrivileges(change, batch) : privileges(change)
    const where = on === 'Column' ? sql`TABLE ${qualified(change.schema, change.table)}` : objects(change, batch)
    const statement = sql`${verbs[change.kind]} ${what} ON ${where} ${prepositions[change.kind]} ${identifier(change.role)}${tails[change.kind]}`
    // GRANTED BY accepts only the current user. Other grantors come first, so that an error names the grantor whom the
    // admin may not impersonate.
    const inTheirNames = (change.grantors ?? []).flatMap((grantor) => [
      sql`SET LOCAL ROLE ${identifier(grantor)}`,
      statement,
      sql`RESET ROLE`,
    ])
    return [...inTheirNames, statement]
  })
}

const verbs = { grant: sql`GRANT`, revoke: sql`REVOKE`, revokeOption: sql`REVOKE GRANT OPTION FOR` }
const prepositions = { grant: sql`TO`, revoke: sql`FROM`, revokeOption: sql`FROM` }
const tails = { grant: sql``, revoke: sql` CASCADE`, revokeOption: sql` CASCADE` }

export function defaultGrantStatements(change: DefaultGrantChange): readonly Sql[] {
  const { creator, schema, role, on } = change
  const of = schema === '' ? sql`` : sql` IN SCHEMA ${identifier(schema)}`
  const alter = sql`ALTER DEFAULT PRIVILEGES FOR ROLE ${identifier(creator)}${of}`
  const what = sql`${privileges(change)} ON ${defaultWords[on]}`
  return change.kind === 'grantDefault'
    ? [sql`${alter} GRANT ${what} TO ${identifier(role)}`]
    : [sql`${alter} REVOKE ${what} FROM ${identifier(role)}`]
}

export const defaultWords: Readonly<Record<DefaultTarget, Sql>> = {
  Table: sql`TABLES`,
  Sequence: sql`SEQUENCES`,
  Function: sql`FUNCTIONS`,
  Schema: sql`SCHEMAS`,
  Type: sql`TYPES`,
}

function privileges({ on, privileges }: GrantChange | DefaultGrantChange): Sql {
  return commaList(privileges.map((privilege) => keyword(privilege, privilegesOn[on])))
}

/** Example: `SELECT ("a", "b"), UPDATE ("a", "b")`. */
function columnPrivileges({ privileges }: GrantChange, columns: readonly string[]): Sql {
  const list = commaList(columns.map(identifier))
  return commaList(privileges.map((privilege) => sql`${keyword(privilege, privilegesOn.Column)} (${list})`))
}

function objects({ on, schema }: GrantChange, names: readonly string[]): Sql {
  switch (on) {
    case 'Database':
      return sql`DATABASE ${commaList(names.map(identifier))}`
    case 'Schema':
      return sql`SCHEMA ${commaList(names.map(identifier))}`
    case 'Sequence':
      return sql`SEQUENCE ${commaList(names.map((name) => qualified(schema, name)))}`
    case 'Function':
      return sql`ROUTINE ${commaList(names.map((name) => signature(schema, name)))}`
    case 'Table':
    case 'Column':
      return sql`TABLE ${commaList(names.map((name) => qualified(schema, name)))}`
  }
}
