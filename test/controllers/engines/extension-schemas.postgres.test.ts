// Extensions in a database of a tenant. Their scripts run as the administrator and call functions by names that the
// tenant may have taken.
// Invariant: an untrusted script runs only in schemas without objects or CREATE privileges of other roles.
import { expect, inject, it, onTestFinished } from 'vitest'
import type { Change } from '../../../src/controllers/engines/change.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { extendedHome } from '../../postgres/extended-home.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'

/** Its script means the function that it creates, but calls a better match if one exists. */
const call = 'CREATE FUNCTION note(bigint) RETURNS bigint LANGUAGE sql AS $$ SELECT $1 $$; SELECT note(1);'
const extensions = [
  { name: 'movable', control: ['relocatable = true'], script: call, update: 'SELECT note(1);' },
  { name: 'settled', control: [], script: call, update: 'SELECT note(1);' },
  { name: 'based', control: ['relocatable = true', "requires = 'movable'"], script: 'SELECT note(1);' },
  { name: 'homely', control: ["schema = 'homely'"], script: call },
]

/** The owner of the database prepares a schema this way. */
const trap = (schema: string) => `
  CREATE FUNCTION ${schema}.note(int) RETURNS bigint LANGUAGE plpgsql
    AS $$ BEGIN EXECUTE 'ALTER ROLE mallory SUPERUSER'; RETURN $1; END $$`

onEachPostgres('an extension for a tenant', (like, version) => {
  async function start() {
    const home = await extendedHome(inject('postgresHome'), like(), extensions)
    const server = await PostgresServer.start(home, { version })
    onTestFinished(() => server.remove())
    await server.byHand("CREATE ROLE mallory LOGIN PASSWORD 'of-the-test'")
    await server.byHand('CREATE DATABASE shop OWNER mallory TEMPLATE template0')
    const byMallory = (text: string) =>
      server.byHand(text, { database: 'shop', user: 'mallory', password: 'of-the-test' })
    if (version < 15) await server.byHand('GRANT CREATE ON SCHEMA public TO mallory', { database: 'shop' })
    const at = engineHere().at(server.access())
    const change = async (...changes: readonly Change[]) => {
      try {
        await at.change(changes, { database: 'shop' })
        return 'done'
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    }
    const found = async () => {
      const [row] = await server.byHand(
        `SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory') AS gained,
           (SELECT string_agg(extname || ' ' || extversion || ' in ' || extnamespace::regnamespace, ', ' ORDER BY extname)
              FROM pg_extension WHERE extname <> 'plpgsql') AS extensions,
           (SELECT string_agg(nspname || ' of ' || nspowner::regrole, ', ' ORDER BY nspname) FROM pg_namespace
             WHERE nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('public', 'information_schema')) AS schemas`,
        { database: 'shop' },
      )
      return row
    }
    return { server, byMallory, change, found }
  }

  it('is installed beside public and moved there, if it can be moved', async () => {
    const { byMallory, change, found } = await start()
    await byMallory(trap('public'))
    expect(await change({ kind: 'createExtension', extension: 'movable' })).toBe('done')
    expect(await found()).toEqual({ gained: false, extensions: 'movable 1.0 in public', schemas: null })
    expect(await byMallory('SELECT note(2::bigint) AS is')).toEqual([{ is: '2' }])
  })

  it('is rejected in a schema of the tenant, if it cannot be moved', async () => {
    const { byMallory, change, found } = await start()
    await byMallory(`CREATE SCHEMA app; ${trap('app')}`)
    expect(await change({ kind: 'createExtension', extension: 'settled', schema: 'app' })).toMatch(
      /schema app belongs to mallory.*spec\.extensions\[\]\.schema/,
    )
    expect(await change({ kind: 'createExtension', extension: 'settled' })).toMatch(/schema public (belongs to|lets)/)
    expect(await found()).toMatchObject({ gained: false, extensions: null })
  })

  it('is installed in a missing schema, which then belongs to the administrator', async () => {
    const { byMallory, change, found } = await start()
    const extension = { kind: 'createExtension', extension: 'settled', schema: 'ext' } as const
    expect(await change(extension)).toBe('done')
    expect(await found()).toEqual({ gained: false, extensions: 'settled 1.0 in ext', schemas: 'ext of postgres' })
    expect(await byMallory('SELECT ext.note(2) AS is')).toEqual([{ is: '2' }])
    await expect(byMallory(trap('ext'))).rejects.toThrow(/permission denied/)
    expect(await change(extension)).toBe('done')
  })

  it('is rejected in a schema of the administrator in which the tenant may create objects, or has', async () => {
    const { server, byMallory, change, found } = await start()
    await server.byHand('CREATE SCHEMA ext; GRANT CREATE, USAGE ON SCHEMA ext TO mallory', { database: 'shop' })
    const extension = { kind: 'createExtension', extension: 'settled', schema: 'ext' } as const
    expect(await change(extension)).toMatch(/schema ext lets mallory create/)
    await byMallory(trap('ext'))
    await server.byHand('REVOKE CREATE ON SCHEMA ext FROM mallory', { database: 'shop' })
    expect(await change(extension)).toMatch(/schema ext has objects of mallory/)
    expect(await found()).toMatchObject({ gained: false, extensions: null })
  })

  it('is rejected when an extension that it requires is in a schema of the tenant', async () => {
    const { byMallory, change, found } = await start()
    await byMallory(trap('public'))
    expect(await change({ kind: 'createExtension', extension: 'movable' })).toBe('done')
    expect(await change({ kind: 'createExtension', extension: 'based', schema: 'ext' })).toMatch(/schema public/)
    expect(await change({ kind: 'moveExtension', extension: 'movable', schema: 'ext' })).toBe('done')
    expect(await change({ kind: 'createExtension', extension: 'based', schema: 'ext' })).toBe('done')
    expect(await found()).toMatchObject({ gained: false, extensions: 'based 1.0 in ext, movable 1.0 in ext' })
  })

  it('is rejected when the tenant owns the schema that its control file names', async () => {
    const { byMallory, change, found } = await start()
    await byMallory(`CREATE SCHEMA homely; ${trap('homely')}`)
    expect(await change({ kind: 'createExtension', extension: 'homely' })).toMatch(/schema homely belongs to mallory/)
    await byMallory('DROP SCHEMA homely CASCADE')
    expect(await change({ kind: 'createExtension', extension: 'homely' })).toBe('done')
    expect(await found()).toMatchObject({ gained: false, extensions: 'homely 1.0 in homely' })
  })

  it('is updated beside its schema if it can be moved, and otherwise rejected', async () => {
    const { server, byMallory, change, found } = await start()
    expect(await change({ kind: 'createExtension', extension: 'movable' })).toBe('done')
    await server.byHand('CREATE SCHEMA app; CREATE EXTENSION settled SCHEMA app; ALTER SCHEMA app OWNER TO mallory', {
      database: 'shop',
    })
    await byMallory(`${trap('public')}; ${trap('app')}`)
    expect(await change({ kind: 'updateExtension', extension: 'movable', version: '1.1' })).toBe('done')
    expect(await change({ kind: 'updateExtension', extension: 'settled', version: '1.1' })).toMatch(
      /schema app belongs to mallory/,
    )
    expect(await found()).toEqual({
      gained: false,
      extensions: 'movable 1.1 in public, settled 1.0 in app',
      schemas: 'app of mallory',
    })
  })

  it('is installed in a schema of the tenant, if PostgreSQL trusts its script', async () => {
    const { byMallory, change, found } = await start()
    await byMallory('CREATE SCHEMA app')
    expect(await change({ kind: 'createExtension', extension: 'citext', schema: 'app' })).toBe('done')
    expect(await found()).toMatchObject({ extensions: expect.stringMatching(/^citext 1\.\d in app$/) })
  })
})
