// Names and passwords that would break wrong quoting. Invariant: after a hundred of them, the catalogs hold the
// requested and the earlier objects, and no others.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Change } from '../../../src/controllers/engines/change.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { hostileName, hostileText } from './postgres/hostile-text.ts'

const token = { uid: `5f'"\\1c; --`, generation: 1 }

/** Known and generated names; the same in every run. */
const names = [
  ...[
    'a"; DROP TABLE x; --',
    'select',
    'CURRENT_USER',
    'with space',
    "it's",
    '\\',
    '$1',
    '%s',
    '"',
    '🐘',
    'x'.repeat(63),
  ],
  ...fc.sample(hostileName, { numRuns: 130, seed: 6 }),
]
const distinct = [...new Set(names)].slice(0, 100)
const passwords = fc.sample(fc.stringMatching(/^[\x20-\x7e]{1,30}$/), { numRuns: distinct.length, seed: 6 })
const values = fc.sample(hostileText, { numRuns: distinct.length, seed: 6 })

onEachPostgres('hostile names', (server) => {
  it('name roles that log in, with their settings', async () => {
    expect(distinct).toHaveLength(100)
    const at = engineHere().at(server().access())
    const roles = distinct.map((role, index) => {
      const password = passwords[index] ?? ''
      return { role, password, verifier: scramVerifier({ password, salt: Buffer.alloc(16, index) }) }
    })
    const changes = roles.flatMap(({ role, verifier }, index): readonly Change[] => [
      { kind: 'createRole', role, token, attributes: { canLogin: true, verifier } },
      { kind: 'setRoleSetting', role, database: 'postgres', name: 'app.text', value: values[index] ?? '' },
      { kind: 'setRoleSetting', role, database: undefined, name: 'search_path', value: quoted(role) },
    ])
    const before = await server().byHand('SELECT rolname FROM pg_roles')
    await at.change(changes)
    const { roles: seen } = await at.observe({ roles: roles.map(({ role: name, verifier }) => ({ name, verifier })) })
    expect(new Set(seen.map(({ name }) => name))).toEqual(new Set(distinct))
    for (const role of seen) {
      const index = distinct.indexOf(role.name)
      expect(role).toMatchObject({ token, verifierMatches: true, canLogin: true })
      expect(role.settings).toContainEqual({ database: 'postgres', name: 'app.text', value: values[index] })
    }
    for (const { role, password } of roles.slice(0, 40)) {
      expect(await at.tryLogin({ username: role, password, database: 'postgres' }), role).toBe('Verified')
    }
    const path = await server().byHand('SELECT current_schema() AS path, current_user AS me', {
      user: distinct[0] ?? '',
      password: passwords[0] ?? '',
    })
    expect(path).toEqual([{ path: null, me: distinct[0] }])
    await at.change(distinct.map((role) => ({ kind: 'dropRole', role })))
    const after = await server().byHand('SELECT rolname FROM pg_roles')
    expect(after).toEqual(before)
  })

  it('name databases, schemas and tables, with their privileges', async () => {
    const at = engineHere().at(server().access())
    const own = distinct.slice(0, 12)
    await at.change([{ kind: 'createRole', role: own[0] ?? '', token, attributes: {} }])
    const owner = own[0] ?? ''
    await Promise.all(own.map((name) => at.createDatabase({ name, owner, token })))
    const { databases } = await at.observe({ databases: own })
    expect(new Set(databases.map(({ name }) => name))).toEqual(new Set(own))
    for (const database of databases) expect(database).toMatchObject({ owner, token, ownerToken: token })
    const [database = ''] = own
    await at.change(
      distinct.map((schema) => ({ kind: 'createSchema', schema, owner })),
      { database },
    )
    await at.query({
      text: distinct.map((name) => `CREATE TABLE ${quoted(name)}.${quoted(name)} (n int)`).join(';'),
      database,
    })
    await at.change(
      distinct.map((name) => ({
        kind: 'grant',
        role: 'pg_monitor',
        on: 'Table',
        schema: name,
        table: '',
        names: [name],
        privileges: ['SELECT'],
      })),
      { database },
    )
    const { groups } = await at.observeGrants(database, { roles: ['pg_monitor'], schemas: distinct })
    const granted = groups.filter(({ on, privileges }) => on === 'Table' && privileges.join() === 'SELECT')
    const there = granted.filter(({ schema, names: [name] }) => schema === name).map(({ schema }) => schema)
    expect(new Set(there)).toEqual(new Set(distinct))
    await Promise.all(own.map((name) => at.dropDatabase(name, { force: true })))
    await at.change([{ kind: 'dropRole', role: owner }])
    const left = await server().byHand('SELECT datname FROM pg_database ORDER BY 1')
    expect(left.map(({ datname }) => datname)).toEqual(['postgres', 'template0', 'template1'])
  })
})

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
