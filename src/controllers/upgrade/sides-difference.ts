// Differences between source and target of an upgrade besides rows: roles, passwords and settings of the source may
// change after the target's creation. Also selects tables whose rows are compared, because clients wait. Pure.
import { nameOf } from '../engines/contents-difference.ts'
import type { DatabaseGlobals, GlobalRole } from '../engines/globals.ts'
import type { TableReading, TableSize } from '../engines/logical-engine.ts'
import { immovableOf, type SideOrder, strangersOf } from './new-side.ts'

export interface ComparisonBudget {
  /** Total size of the tables whose rows are hashed, smallest first. A machine hashes about 50 MiB per second. */
  readonly hashBytes: number
  /** Total size of the tables whose rows are hashed or counted. Larger tables are not compared. */
  readonly countBytes: number
  /**
   * Time after which the remaining tables, the largest ones, are not compared. A comparison that always exceeded its
   * limit would never let clients in.
   */
  readonly limitMs: number
}

/** Takes seconds on an ordinary machine, and less than the time limit of a step's observation (src/saga). */
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

/** Returns a sentence per difference. The LOGIN attribute is not compared: no role has it meanwhile. */
export function globalsDifference(old: DatabaseGlobals, now: DatabaseGlobals): readonly string[] {
  const there = new Map(now.roles.map((role) => [role.name, role]))
  const before = new Set(old.roles.map(({ name }) => name))
  const isCommon = (name: string) => there.has(name) && before.has(name)
  // Objects of superusers belong to the superuser of each server.
  const owned = ({ owned }: DatabaseGlobals) => owned.filter(({ owner }) => isCommon(owner))
  return [
    ...old.roles.flatMap((role) => roleDiffers(role, there.get(role.name)) ?? []),
    ...listDiffers('memberships of roles', memberships(old), memberships(now)),
    ...listDiffers('settings', old.settings, now.settings),
    ...listDiffers('privileges on the database', old.grants, now.grants),
    ...listDiffers('owners', owned(old), owned(now)),
  ]
}

/** Returns a sentence per object that would have prevented the move, and was created after the target. */
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

/** Returns memberships without the options that PostgreSQL 16 added; older versions take these from the member. */
function memberships({ memberships: all }: DatabaseGlobals): readonly unknown[] {
  return all.map(({ role, member, isAdmin }) => ({ role, member, isAdmin }))
}

function listDiffers(what: string, old: readonly unknown[], now: readonly unknown[]): readonly string[] {
  const [left, right] = [old, now].map((list) => new Set(list.map((item) => JSON.stringify(item))))
  const count = left?.symmetricDifference(right ?? new Set()).size ?? 0
  return count === 0 ? [] : [`${what} are others at the old side (${count})`]
}
