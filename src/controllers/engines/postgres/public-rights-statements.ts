// SQL that sets the privileges of PUBLIC: revokes all, then grants the desired ones. Objects with equal privileges
// share a statement.
import type { PublicRight, PublicRightsChange } from '../public-rights.ts'
import { defaultWords, namesAStatement, privilegesOn } from './grant-statements.ts'
import { commaList, identifier, keyword, qualified, type Sql, sql } from './sql-text.ts'

export function publicRightsStatements(change: PublicRightsChange): readonly Sql[] {
  if (change.kind === 'setPublicRights') return batches(change.rights).flatMap(objectStatements)
  const { role, on } = change
  return [sql`ALTER DEFAULT PRIVILEGES FOR ROLE ${identifier(role)} REVOKE ALL ON ${defaultWords[on]} FROM PUBLIC`]
}

type Batch = readonly [PublicRight, ...(readonly PublicRight[])]

/** Adjacent objects of one type with the same privileges. */
function batches(rights: readonly PublicRight[]): readonly Batch[] {
  const found: [PublicRight, ...PublicRight[]][] = []
  for (const right of rights) {
    const last = found.at(-1)
    if (last !== undefined && last.length < namesAStatement && isAlike(last[0], right)) last.push(right)
    else found.push([right])
  }
  return found
}

function isAlike(one: PublicRight, other: PublicRight): boolean {
  if (one.on !== other.on || String(one.privileges) !== String(other.privileges)) return false
  // A statement covers columns of only one table.
  return one.on !== 'Column' || (one.schema === other.schema && one.name === other.name)
}

function objectStatements(batch: Batch): readonly Sql[] {
  const [first] = batch
  const { on, privileges } = first
  const ofColumns = on === 'Column' ? sql` (${commaList(batch.map(({ column = '' }) => identifier(column)))})` : sql``
  const names = on === 'Column' ? objectName(first) : commaList(batch.map(objectName))
  const where = sql`${objectWords[on]} ${names}`
  const given = privileges.map((privilege) => sql`${keyword(privilege, privilegesOn[on])}${ofColumns}`)
  return [
    sql`REVOKE ALL${ofColumns} ON ${where} FROM PUBLIC`,
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

function objectName({ on, schema, name, arguments: types }: PublicRight): Sql {
  if (on === 'Schema') return identifier(name)
  if (on !== 'Function') return qualified(schema, name)
  // States IN, because otherwise a procedure would be looked up by its output parameters too.
  const list = (types ?? []).map(
    (type) => sql`IN ${qualified(type.schema, type.name)}${type.isArray ? sql`[]` : sql``}`,
  )
  return sql`${qualified(schema, name)}(${commaList(list)})`
}
