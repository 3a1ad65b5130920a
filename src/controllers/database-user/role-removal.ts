// Removal of a user's roles. Their logins are disabled first; then the owner of each database gets their objects; then
// the roles are dropped. Or the roles stay, without login. Invariant: only roles that were made to own a Database
// inherit objects, because views and functions run with the rights of their owner. Pure.
import type { Change } from '../engines/change.ts'
import type { ObservedDatabase, ObservedRole } from '../engines/observed-server.ts'
import type { DesiredRole } from './desired-role.ts'
import { disown, handOver, type ObservedUser, type RoleDifference } from './role-difference.ts'
import { isItsDatabase } from './role-question.ts'

/** Returns why the roles cannot be dropped now, with counts; undefined if they can. `databases`: see `removalSteps`. */
export function blockedRemoval(
  wish: DesiredRole,
  observed: ObservedUser,
  databases: readonly ObservedDatabase[],
): string | undefined {
  if (wish.ending === 'disable') return undefined
  const isBlock = wish.ownedObjects === 'Block'
  const heirIn = heirs(wish, observed, databases)
  const owned = rolesOf(observed)
    .flatMap(({ name, dependents }) => dependents.map((one) => ({ ...one, role: name })))
    .filter((one) => one.owned > 0 && (isBlock || heirIn(one.database) === undefined))
  if (owned.length === 0) return undefined
  const where = (database: string) => (database === '' ? 'on the server' : `in database ${database}`)
  const counts = owned.map(
    ({ role, database, owned: count }) => `role ${role} owns ${count} objects ${where(database)}`,
  )
  const wayOut = isBlock
    ? ', or set spec.ownedObjects to ReassignToOwner'
    : '; none of its own databases is left whose owner could have them'
  return `${counts.join(', ')}; give them to others${wayOut}`
}

/** `databases`: existing databases that are desired or in which objects depend on the roles. */
export function removalSteps(
  wish: DesiredRole,
  observed: ObservedUser,
  databases: readonly ObservedDatabase[],
): readonly Pick<RoleDifference, 'steps' | 'ends'>[] {
  const ours = rolesOf(observed)
  const logins = ours.filter(({ name }) => name !== observed.group.name)
  const disabled = logins.map(({ name: role }) => ({
    steps: [
      { at: 'server' as const, changes: [{ kind: 'alterRole', role, attributes: { canLogin: false } } as const] },
    ],
    ends: role,
  }))
  if (wish.ending === 'disable') return disabled
  const names = ours.map(({ name }) => name)
  const heirIn = heirs(wish, observed, databases)
  const leave = (database: string): readonly Change[] => {
    const heir = heirIn(database)
    return names.flatMap((role) => (heir === undefined ? disown(role) : handOver(role, heir)))
  }
  const dependents = ours.flatMap((role) => role.dependents)
  const dependentIn = new Set(dependents.map(({ database }) => database))
  const inside = databases
    .filter(({ name }) => dependentIn.has(name))
    .map(({ name: database }) => ({ at: 'database' as const, database, changes: leave(database) }))
  // A transfer in any database includes shared objects.
  const shared = inside.length === 0 && dependents.length > 0 ? leave('') : []
  const drops = [...logins.map(({ name }) => name), observed.group.name].map(
    (role) => ({ kind: 'dropRole', role }) as const,
  )
  return [...disabled, { steps: [...inside, { at: 'last', changes: [...shared, ...drops] }] }]
}

/**
 * Returns a function from a database to the role that gets the objects there. This is the database's owner, if that
 * role was made to own it. Otherwise it is the owner of the first of the user's own databases.
 */
function heirs({ databases: listed }: DesiredRole, observed: ObservedUser, databases: readonly ObservedDatabase[]) {
  const own = listed.filter((database) => isItsDatabase(database, databases))
  const leaving = rolesOf(observed).map(({ name }) => name)
  const marked = databases.filter(({ ownerToken }) => ownerToken !== undefined)
  const ownersThere = new Map(marked.map(({ name, owner }) => [name, owner]))
  const ownersHere = new Map(own.map(({ name, owner }) => [name, owner]))
  return (database: string): string | undefined => {
    const there = ownersThere.get(database)
    const ownerThere = there === undefined || leaving.includes(there) ? undefined : there
    return ownersHere.get(database) ?? ownerThere ?? own[0]?.owner
  }
}

/** Returns the user's own roles. A role of another creator with the name of a login stays. */
function rolesOf({ group, logins, token }: ObservedUser): readonly ObservedRole[] {
  return [group, ...logins.filter((login) => login.token?.uid === token.uid)]
}
