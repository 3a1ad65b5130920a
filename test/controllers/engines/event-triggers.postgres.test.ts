// Event triggers run in the session that changes the schema. Invariant: an owner of a database can create none, and no
// object of the owner makes one fire (docs/security.md relies on it).
import { expect, it, onTestFinished } from 'vitest'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'

onEachPostgres('an owner of a database', (server) => {
  it('cannot create an event trigger, nor take one over', async () => {
    await server().byHand(
      "CREATE ROLE keeper LOGIN PASSWORD 'of-the-test'; CREATE ROLE keeper_owner; GRANT keeper_owner TO keeper",
    )
    await server().byHand('CREATE DATABASE kept OWNER keeper_owner')
    onTestFinished(async () => {
      await server().byHand('DROP DATABASE kept')
      await server().byHand('DROP ROLE keeper, keeper_owner')
    })
    const byKeeper = (text: string) =>
      server().byHand(`SET ROLE keeper_owner; ${text}`, { database: 'kept', user: 'keeper', password: 'of-the-test' })
    await byKeeper(`CREATE SCHEMA k; CREATE FUNCTION k.f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'`)
    await expect(byKeeper('CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION k.f()')).rejects.toThrow(
      /permission denied to create event trigger/,
    )
    for (const text of [
      'CREATE LANGUAGE c2 HANDLER plpgsql_call_handler',
      'CREATE OPERATOR CLASS k.o FOR TYPE int4 USING btree AS OPERATOR 1 <',
      'CREATE ACCESS METHOD a TYPE TABLE HANDLER heap_tableam_handler',
      'CREATE TYPE k.t; CREATE FUNCTION k.i(cstring) RETURNS k.t LANGUAGE internal AS $$int4in$$',
      'CREATE FOREIGN DATA WRAPPER w',
      `ALTER DATABASE kept SET session_preload_libraries = 'x'`,
      `ALTER DATABASE kept SET session_replication_role = 'replica'`,
    ]) {
      await expect(byKeeper(text), text).rejects.toThrow(/permission denied|must be superuser/)
    }
  })
})
