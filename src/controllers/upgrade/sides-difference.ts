// In what are the two sides of an upgrade different, beside their rows? Somebody may have changed roles, passwords or settings of the old
// side since the new one was made. And of which tables are rows compared, as writers wait meanwhile? Pure.
import { nameOf } from '../engines/contents-difference.ts'
import type { DatabaseGlobals, GlobalRole } from '../engines/globals.ts'
import type { TableReading, TableSize } from '../engines/logical-engine.ts'
import { immovableOf, type SideOrder, strangersOf } from './new-side.ts'

export interface ComparisonBudget {
  /** Of all tables together, the smallest first: the rows of as many are hashed. A machine reads about 50 MiB of them a second. */
  readonly hashBytes: number
  /** As many are counted, those that are hashed included; larger ones are not looked at. */
  readonly countBytes: number
  /** What is not read by then is not looked at, the largest first: a comparison that always came too late would never let anybody in. */
  readonly limitMs: number
}

/** Seconds, on a machine that is not slow; and within what a look of a step may take (src/saga). */
export const usualBudget: ComparisonBudget = {
  hashBytes: 512 * 1_024 ** 2,
  countBytes: 16 * 1_024 ** 3,
  limitMs: 25_000,
}

export function tableReadings(
  tables: readonly TableSize[],
  { hashBytes, countBytes }: Omit<ComparisonBudget, 'limitMs'>,
): ReadonlyMap<string, TableReading> {
  const readings = new Map<string, TableReading>()
  let sum = 0
  for (const table of tables.toSorted((left, right) => left.sizeBytes - right.sizeBytes)) {
    sum += table.sizeBytes
    if (sum > countBytes) break
    readings.set(nameOf(table), sum > hashBytes ? 'counted' : 'compared')
  }
  return readings
}

/** Sentences for people; who may log in is not compared, as nobody may meanwhile. */
export function globalsDifference(old: DatabaseGlobals, now: DatabaseGlobals): readonly string[] {
  const there = new Map(now.roles.map((role) => [role.name, role]))
  const before = new Set(old.roles.map(({ name }) => name))
  const isCommon = (name: string) => there.has(name) && before.has(name)
  // What belongs to superusers belongs to that of each side.
  const owned = ({ owned }: DatabaseGlobals) => owned.filter(({ owner }) => isCommon(owner))
  return [
    ...old.roles.flatMap((role) => roleDiffers(role, there.get(role.name)) ?? []),
    ...listDiffers('memberships of roles', memberships(old), memberships(now)),
    ...listDiffers('settings', old.settings, now.settings),
    ...listDiffers('privileges on the database', old.grants, now.grants),
    ...listDiffers('owners', owned(old), owned(now)),
  ]
}

/** What would have been refused, had it been there before the new side was made; sentences for people. */
export function latecomers(order: Pick<SideOrder, 'token'>, old: DatabaseGlobals): readonly string[] {
  return [
    ...immovableOf(old).map((what) => `${what} came at the old side, and does not move`),
    ...strangersOf(order, old).map((name) => `database ${name} came on the old server, and does not move`),
  ]
}

function roleDiffers(role: GlobalRole, other: GlobalRole | undefined): string | undefined {
  if (other === undefined) return `role ${role.name} is only at the old side`
  if (role.verifier !== other.verifier) return `role ${role.name} has another password at the old side`
  const isSame = JSON.stringify(attributesOf(role)) === JSON.stringify(attributesOf(other))
  return isSame ? undefined : `role ${role.name} has other attributes at the old side`
}

function attributesOf(role: GlobalRole): readonly unknown[] {
  const { isSuperuser, inherits, canCreateDatabases, canCreateRoles, canReplicate, bypassesRowSecurity } = role
  return [
    ...[isSuperuser, inherits, canCreateDatabases, canCreateRoles, canReplicate, bypassesRowSecurity],
    ...[role.connectionLimit, role.validUntil],
  ]
}

/** Since PostgreSQL 16 they have options that older ones take from the member. */
function memberships({ memberships: all }: DatabaseGlobals): readonly unknown[] {
  return all.map(({ role, member, isAdmin }) => ({ role, member, isAdmin }))
}

function listDiffers(what: string, old: readonly unknown[], now: readonly unknown[]): readonly string[] {
  const [left, right] = [old, now].map((list) => new Set(list.map((item) => JSON.stringify(item))))
  const count = left?.symmetricDifference(right ?? new Set()).size ?? 0
  return count === 0 ? [] : [`${what} are others at the old side (${count})`]
}
