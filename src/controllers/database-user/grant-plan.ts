// Privileges of a user in one database: the desired ones from the access level of the spec, and their differences from
// the observed ones. Pure.
import type { Change } from '../engines/change.ts'
import type { CustomGrant, DesiredGrant, GrantQuestion, ObservedGrants } from '../engines/grant.ts'
import { type GrantPlan, planGrants } from '../engines/grants.ts'
import { isOperatorSchema } from '../engines/reserved-schema.ts'
import type { SlicedWork } from '../engines/slice-runner.ts'
import type { DatabaseAccess } from './desired-role.ts'
import type { RoleDifference } from './role-difference.ts'

/** Privileges without which no other privilege can be used. */
const implied: readonly CustomGrant[] = [
  { objectType: 'Database', privileges: ['CONNECT'] },
  { objectType: 'Schema', privileges: ['USAGE'] },
]

/** Asks for the privileges of the group and of the owner, whose default privileges apply to new objects. */
export function grantQuestion(group: string, { owner, schemas }: DatabaseAccess): GrantQuestion {
  return { roles: [group, owner], schemas }
}

/** Returns missing and extra privileges in one database, and desired ones on objects that do not exist. */
export function grantPlan(group: string, database: DatabaseAccess, seen: ObservedGrants): SlicedWork<GrantPlan> {
  const { access, schemas, grants, owner } = database
  const wish: DesiredGrant = {
    ...{ role: group, database: database.name, access, schemas, creators: [owner] },
    grants: access === 'Custom' ? [...implied, ...grants] : grants,
  }
  return planGrants(wish, seen)
}

/**
 * `isWished`: the missing privileges were never granted there. Privileges on the applied markers of Migrations are
 * revoked under any drift policy.
 */
export function grantDifferences(
  group: string,
  database: string,
  { missing, extra, isWished }: GrantPlan & { readonly isWished: boolean },
): readonly RoleDifference[] {
  const at = (changes: readonly Change[]) => [{ at: 'database', database, changes }] as const
  const place = `in database ${database}`
  const tooMuch = (changes: GrantPlan['extra']) => ({
    reason: 'GrantExtra' as const,
    message: `role ${group} has ${wordsOf(changes)} ${place}, too much`,
    steps: at(changes),
  })
  const onMarks = extra.flatMap((change) => among(change, isOperatorSchema))
  const elsewhere = onMarks.length === 0 ? extra : extra.flatMap((change) => among(change, isOther))
  return [
    ...(missing.length === 0
      ? []
      : [
          {
            reason: 'GrantMissing' as const,
            message: `role ${group} lacks ${wordsOf(missing)} ${place}`,
            ...(isWished ? { isWished } : {}),
            steps: at(missing),
          },
        ]),
    ...(onMarks.length === 0 ? [] : [{ ...tooMuch(onMarks), isWished: true, isReported: true }]),
    ...(elsewhere.length === 0 ? [] : [tooMuch(elsewhere)]),
  ]
}

const isOther = (schema: string) => !isOperatorSchema(schema)

/** Returns the part of a change that concerns schemas for which `isMeant` is true. */
function among(change: GrantPlan['extra'][number], isMeant: (schema: string) => boolean): GrantPlan['extra'] {
  if (!('names' in change) || change.on !== 'Schema') return isMeant(change.schema) ? [change] : []
  const names = change.names.filter(isMeant)
  return names.length === 0 ? [] : [{ ...change, names }]
}

/** Returns the changes that revoke all privileges of the role in a database. */
export function* withoutGrants(group: string, seen: ObservedGrants): SlicedWork<readonly Change[]> {
  const none: DesiredGrant = { role: group, database: '', access: 'Custom', schemas: [], grants: [], creators: [] }
  return (yield* planGrants(none, seen)).extra
}

/** Returns e.g. `SELECT, UPDATE on 12 tables of schema app; …`, and a count of changes beyond the fourth. */
function wordsOf(changes: GrantPlan['missing']): string {
  const listed = changes.slice(0, mostListed).map((change) => {
    const privileges = change.privileges.join(', ')
    if ('creator' in change) {
      return `${privileges} on each ${change.on.toLowerCase()} that ${change.creator} makes in schema ${change.schema}`
    }
    const { on, names, schema, table } = change
    const what = names.length === 1 ? `${on.toLowerCase()} ${names[0]}` : `${names.length} ${on.toLowerCase()}s`
    const within = table === '' ? (schema === '' ? '' : ` of schema ${schema}`) : ` of table ${schema}.${table}`
    return `${privileges} on ${what}${within}`
  })
  return changes.length > listed.length
    ? `${listed.join('; ')} and ${changes.length - listed.length} more`
    : listed.join('; ')
}

const mostListed = 4
