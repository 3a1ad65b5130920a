// Users whose every text would break bad quoting: their names, passwords, settings, and the tables that they may read. The same for
// the same seed. Pure.
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
/** With a name and a password. */
export const textsEach = settingsEach + tablesEach + 2

/** Words of SQL and signs that names may have, in any order; PostgreSQL's own are left out, as the definition refuses them. */
const roleName = fc
  .array(fc.constantFrom('select', 'user', 'all', 'table', 'grant', 'null', '_', '-', '--', '0', 'x', 'current_user'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => `a${parts.join('')}`.slice(0, 50))
/** What an object may hold is without control characters. */
const shown = (text: string) => text.replaceAll(/\p{Cc}/gu, '¶')
const password = fc.tuple(hostileText, fc.stringMatching(/^[\x20-\x7e]{1,20}$/)).map(
  ([first, second]) =>
    // Line breaks at the end go, as editors leave them there.
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

/** Its password is in the Secret `<name>-password`. */
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
