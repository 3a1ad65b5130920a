// Which SQL sets what everybody may do? What PostgreSQL gives to PUBLIC by itself is taken, then what it has is given; objects that have the
// same go into one statement.
import type { PublicRight, PublicRightsChange } from '../public-rights.ts'
import { defaultWords, namesAStatement, privilegesOn } from './grant-statements.ts'
import { commaList, identifier, keyword, qualified, type Sql, sql } from './sql-text.ts'

export function publicRightsStatements(change: PublicRightsChange): readonly Sql[] {
  if (change.kind === 'setPublicRights') return batches(change.rights).flatMap(objectStatements)
  const { role, on } = change
  return [sql`ALTER DEFAULT PRIVILEGES FOR ROLE ${identifier(role)} REVOKE ALL ON ${defaultWords[on]} FROM PUBLIC`]
}

type Batch = readonly [PublicRight, ...(readonly PublicRight[])]

/** Neighbours of one sort with the same privileges. */
function batches(rights: readonly PublicRight[]): readonly Batch[] {
  const found: [PublicRight, ...PublicRight[]][] = []
  for (const right of rights) {
    const last = found.at(-1)
    if (last !== undefined && last.length < namesAStatement && isAlike(last[0], right)) last.push(right)
    else found.push([right])
  }
  return found
}

/** Columns go one by one, as their names stand beside the privilege. */
function isAlike(one: PublicRight, other: PublicRight): boolean {
  return one.on === other.on && one.on !== 'Column' && String(one.privileges) === String(other.privileges)
}

function objectStatements(batch: Batch): readonly Sql[] {
  const [{ on, privileges, column }] = batch
  const where = sql`${objectWords[on]} ${commaList(batch.map(objectName))}`
  const columns = on === 'Column' ? sql` (${identifier(column ?? '')})` : sql``
  const given = privileges.map((privilege) => sql`${keyword(privilege, privilegesOn[on])}${columns}`)
  return [
    ...(isGivenByItself[on] ? [sql`REVOKE ALL ON ${where} FROM PUBLIC`] : []),
    ...(given.length === 0 ? [] : [sql`GRANT ${commaList(given)} ON ${where} TO PUBLIC`]),
  ]
}

const objectWords: Readonly<Record<PublicRight['on'], Sql>> = {
  Schema: sql`SCHEMA`,
  Table: sql`TABLE`,
  Column: sql`TABLE`,
  Sequence: sql`SEQUENCE`,
  Function: sql`ROUTINE`,
  Type: sql`TYPE`,
}

/** PUBLIC has USAGE on the schema `public` and on types, and EXECUTE on functions. */
const isGivenByItself: Readonly<Record<PublicRight['on'], boolean>> = {
  Schema: true,
  Table: false,
  Column: false,
  Sequence: false,
  Function: true,
  Type: true,
}

function objectName({ on, schema, name, arguments: types }: PublicRight): Sql {
  if (on === 'Schema') return identifier(name)
  if (on !== 'Function') return qualified(schema, name)
  // IN is said, as a procedure would be looked for by what it gives out too.
  const list = (types ?? []).map(
    (type) => sql`IN ${qualified(type.schema, type.name)}${type.isArray ? sql`[]` : sql``}`,
  )
  return sql`${qualified(schema, name)}(${commaList(list)})`
}
