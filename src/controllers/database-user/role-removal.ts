// How do the roles of a user go? Nobody logs in first; what they own becomes the database owner's, database by database; and when
// nothing depends on them any more they are dropped. Or they stay, and only nobody logs in. Pure. Views and functions run with the
// rights of their owner, so that heirs are only ever roles that were made to own a Database.
import type { Change } from '../engines/change.ts'
import type { ObservedDatabase, ObservedRole } from '../engines/observed-server.ts'
import { handOver, type ObservedUser, type RoleDifference } from './role-difference.ts'
import type { RoleWish } from './role-wish.ts'

/** Why they cannot be dropped now, with counts; undefined: they can. */
export function blockedRemoval({ ownedObjects, ending }: RoleWish, observed: ObservedUser): string | undefined {
  if (ownedObjects !== 'Block' || ending === 'disable') return undefined
  const owned = rolesOf(observed).flatMap(({ name, dependents }) =>
    dependents.filter((one) => one.owned > 0).map((one) => ({ ...one, role: name })),
  )
  if (owned.length === 0) return undefined
  const where = (database: string) => (database === '' ? 'on the server' : `in database ${database}`)
  const counts = owned.map(
    ({ role, database, owned: count }) => `role ${role} owns ${count} objects ${where(database)}`,
  )
  return `${counts.join(', ')}; give them to others, or set spec.ownedObjects to ReassignToOwner`
}

/** `databases`: those in which something depends on the roles. */
export function removalSteps(
  { ending, databases: listed }: RoleWish,
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
  if (ending === 'disable') return disabled
  const names = ours.map(({ name }) => name)
  const [{ owner: heir } = nobody] = listed
  const heirOf = ({ name, owner, ownerToken }: ObservedDatabase) =>
    listed.find((database) => database.name === name)?.owner ??
    (ownerToken === undefined || names.includes(owner) ? heir : owner)
  const inside = databases.map((database) => ({
    at: 'database' as const,
    database: database.name,
    changes: names.flatMap((role) => handOver(role, heirOf(database))),
  }))
  const isShared = inside.length === 0 && ours.some(({ dependents }) => dependents.length > 0)
  const shared: readonly Change[] = isShared ? names.flatMap((role) => handOver(role, heir)) : []
  const drops = [...logins.map(({ name }) => name), observed.group.name].map(
    (role) => ({ kind: 'dropRole', role }) as const,
  )
  return [...disabled, { steps: [...inside, { at: 'last', changes: [...shared, ...drops] }] }]
}

/** Whose server is not known is not removed: there is a first database. */
const nobody = { owner: '' }

/** Those that are ours: one with the name of a login that somebody else has made stays. */
function rolesOf({ group, logins, token }: ObservedUser): readonly ObservedRole[] {
  return [group, ...logins.filter((login) => login.token?.uid === token.uid)]
}
