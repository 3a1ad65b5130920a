// Users whose texts would break wrong quoting: names, passwords, settings, and tables that they may read. Deterministic
// by seed. Pure.
import fc from 'fast-check'
import type { DatabaseUserSpecInput } from '../../../imports/wire/database-user.ts'
import { hostileName, hostileText } from '../engines/postgres/hostile-text.ts'

export interface HostileUser {
  readonly name: string
  readonly role: string
  readonly password: string
  readonly settings: Readonly<Record<string, string>>
  readonly tables: readonly string[]
}

const settingsEach = 45
const tablesEach = 55
/** A login with its password. */
export const textsEach = settingsEach + tablesEach + 2

/**
 * SQL keywords and special characters that names may have; names of PostgreSQL itself are left out, because the CRD
 * rejects them.
 */
const roleName = fc
  .array(fc.constantFrom('select', 'user', 'all', 'table', 'grant', 'null', '_', '-', '--', '0', 'x', 'current_user'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => `a${parts.join('')}`.slice(0, 50))
/** Objects contain no control characters. */
const shown = (text: string) => text.replaceAll(/\p{Cc}/gu, '¶')
const password = fc.tuple(hostileText, fc.stringMatching(/^[\x20-\x7e]{1,20}$/)).map(
  ([first, second]) =>
    // Final line breaks are removed, as editors add them.
    `${first.replaceAll(/[^\x20-\x7e]/g, '')}${second}`,
)

export function hostileUsers(count: number, seed: number): readonly HostileUser[] {
  const roles = distinct(roleName, count, seed)
  const tables = distinct(hostileName.map(shown).filter(fits), count * tablesEach, seed)
  const values = fc.sample(hostileText.map(shown), { numRuns: count * settingsEach, seed })
  const passwords = fc.sample(password, { numRuns: count, seed })
  return roles.map((role, at) => ({
    name: `hostile-${at}`,
    role: `${role}${at}`,
    password: passwords[at] ?? '',
    settings: Object.fromEntries(
      values.slice(at * settingsEach, (at + 1) * settingsEach).map((value, index) => [`app.s${index}`, value]),
    ),
    tables: tables.slice(at * tablesEach, (at + 1) * tablesEach),
  }))
}

/** The Secret `<name>-password` has its password. */
export function specOf({ name, role, settings, tables }: HostileUser, database: string): DatabaseUserSpecInput {
  const grants = [{ objectType: 'Table' as const, names: [...tables], privileges: ['SELECT' as const] }]
  return {
    roleName: role,
    config: settings,
    password: { secretRef: { name: `${name}-password` } },
    databases: [{ name: database, access: 'Custom', grants }],
  }
}

function distinct(texts: fc.Arbitrary<string>, count: number, seed: number): readonly string[] {
  const found = new Set(fc.sample(texts, { numRuns: count * 2, seed }))
  return [...found].slice(0, count)
}

function fits(name: string): boolean {
  return Buffer.byteLength(name) <= 63
}
