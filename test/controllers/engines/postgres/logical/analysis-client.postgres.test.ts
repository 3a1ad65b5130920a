// ANALYZE after a restore. Invariant: no limit, lock or failing table ends it early. A function in the database reports
// the settings of the session.
import { expect, it } from 'vitest'
import { systemClock } from '../../../../../src/base/clock.ts'
import { analyze } from '../../../../../src/controllers/engines/postgres/logical/analysis-client.ts'
import { onEachPostgres } from '../../../../postgres/on-each-postgres.ts'
import { never } from '../../../stores/contents.ts'

const caller = { kind: 'Backup', namespace: 'shop', name: 'nightly' }
const limits = ['statement_timeout', 'lock_timeout']

onEachPostgres('to analyze a database', (server, version) => {
  it('has no limit of the server or of the session', async () => {
    const names = version >= 17 ? [...limits, 'transaction_timeout'] : limits
    await server().byHand('CREATE DATABASE asked')
    const here = { database: 'asked' }
    // ANALYZE of an expression index calls its function.
    await server().byHand(
      `CREATE SEQUENCE calls; CREATE TABLE limits (name text); CREATE FUNCTION look(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
        IF pg_catalog.current_setting($1) <> '0' THEN RAISE '% is %', $1, pg_catalog.current_setting($1); END IF;
        PERFORM pg_catalog.nextval('public.calls'); RETURN $1; END $$; CREATE INDEX ON limits (look(name))`,
      here,
    )
    for (const name of names) await server().byHand(`INSERT INTO limits VALUES ('${name}')`, here)
    for (const name of names) await server().byHand(`ALTER DATABASE asked SET ${name} TO '1h'`)
    const callsOf = async () => Number((await server().byHand('SELECT last_value FROM calls', here))[0]?.['last_value'])
    const before = await callsOf()
    await analyze({ access: server().access(), database: 'asked', caller, signal: never }, systemClock)
    expect(await callsOf()).toBe(before + names.length)
    await server().byHand('DROP DATABASE asked WITH (FORCE)')
  })

  it('completes when an expression for statistics fails', async () => {
    await server().byHand('CREATE DATABASE failing')
    const here = { database: 'failing' }
    await server().byHand(
      `CREATE TABLE names (name text); INSERT INTO names VALUES ('a'); CREATE FUNCTION broken(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
        $$ BEGIN RETURN no_such_function($1); END $$; CREATE STATISTICS broken_names ON (broken(name)) FROM names`,
      here,
    )
    await expect(server().byHand('ANALYZE', here)).rejects.toMatchObject({ code: '42883' })
    await analyze({ access: server().access(), database: 'failing', caller, signal: never }, systemClock)
    await server().byHand('DROP DATABASE failing WITH (FORCE)')
  })
})
