// Is what was restored analyzed however long that takes, and whoever is in the way? By a function in the database, which sees the settings
// under which it is asked.
import { expect, it } from 'vitest'
import { systemClock } from '../../../../../src/base/clock.ts'
import { analyze } from '../../../../../src/controllers/engines/postgres/logical/analysis-client.ts'
import { onEachPostgres } from '../../../../postgres/on-each-postgres.ts'
import { never } from '../../../stores/contents.ts'

const limits = ['statement_timeout', 'lock_timeout']

onEachPostgres('to analyze a database', (server, version) => {
  it('has no limit of the server or of the session', async () => {
    const names = version >= 17 ? [...limits, 'transaction_timeout'] : limits
    await server().byHand('CREATE DATABASE asked')
    const here = { database: 'asked' }
    // An index by what a function says is analyzed by calling it.
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
    const caller = { kind: 'Backup', namespace: 'shop', name: 'nightly' }
    await analyze({ access: server().access(), database: 'asked', caller, signal: never }, systemClock)
    expect(await callsOf()).toBe(before + names.length)
    await server().byHand('DROP DATABASE asked WITH (FORCE)')
  })
})
