// Tables of a target whose owner has written code that runs when rows arrive. Invariant: no server applies rows as its
// administrator if that would run such code.
// From PostgreSQL 16 on, the server applies them as the owner.
import { expect, inject, it } from 'vitest'
import { database, ReplicationStage } from './replication-stage.ts'

const majors = inject('postgresHome').versions.map(({ major }) => major)
const newest = Math.max(...majors)

const catching = `CREATE FUNCTION catch() RETURNS void LANGUAGE plpgsql AS $c$ BEGIN EXECUTE 'ALTER ROLE keeper SUPERUSER';
  EXCEPTION WHEN insufficient_privilege THEN NULL; END $c$;`
const spy = (name: string, returns: string, result: string) => `${catching}
  CREATE FUNCTION ${name} RETURNS ${returns} LANGUAGE plpgsql IMMUTABLE AS $s$ BEGIN PERFORM public.catch(); RETURN ${result}; END $s$;`
const things = 'CREATE TABLE things (id int PRIMARY KEY, note text)'

/** SQL that `keeper` runs on both servers; after the separator, on the target alone. */
const traps: Readonly<Record<string, string>> = {
  'a trigger that fires always': `${things}; ${spy('f()', 'trigger', 'NEW').replace('IMMUTABLE', '')}
    CREATE TRIGGER t BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION f(); ALTER TABLE things ENABLE ALWAYS TRIGGER t`,
  'a check': `${things}; ${spy('f(text)', 'boolean', 'true')} ALTER TABLE things ADD CHECK (public.f(note))`,
  'an operator in a check': `${things}; ${spy('f(text, text)', 'boolean', 'true')}
    CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = f); ALTER TABLE things ADD CHECK (note OPERATOR(public.===) note)`,
  'an index': `${things}; ${spy('f(text)', 'text', '$1')} CREATE INDEX ON things (public.f(note))`,
  'a default of a column that the source has not': `${things}; ${spy('f()', 'text', `'x'`)}
    ------
    ALTER TABLE things ADD more text DEFAULT public.f()`,
  'a domain': `${spy('f(text)', 'boolean', 'true')} CREATE DOMAIN bait AS text CHECK (public.f(value));
    CREATE TABLE things (id int PRIMARY KEY, note bait)`,
  'an array of a domain': `${spy('f(text)', 'boolean', 'true')} CREATE DOMAIN bait AS text CHECK (public.f(value));
    CREATE TABLE things (id int PRIMARY KEY, note bait[])`,
  'the key of a partitioned table': `${spy('f(text)', 'text', '$1')}
    CREATE TABLE whole (id int, note text) PARTITION BY LIST (public.f(note));
    CREATE TABLE things PARTITION OF whole DEFAULT; ALTER TABLE things ADD PRIMARY KEY (id)`,
}

for (const target of majors) {
  it.each(Object.entries(traps))(`makes nobody a superuser by %s, on PostgreSQL ${target}`, async (_, trap) => {
    const none = 'SELECT'
    const stage = await ReplicationStage.start(none, { source: newest, target })
    for (const server of [stage.source, stage.target]) {
      await server.byHand('CREATE ROLE keeper')
      await server.byHand('GRANT CREATE ON SCHEMA public TO keeper', { database })
      const [both = '', targetOnly = ''] = trap.split('------')
      await server.byHand(`SET ROLE keeper; ${both}`, { database })
      if (server === stage.target) await server.byHand(`SET ROLE keeper; ${targetOnly}`, { database })
      await server.byHand('ALTER ROLE keeper NOSUPERUSER')
    }
    await stage.until('an answer', ({ kind }) => kind === 'following' || kind === 'refused')
    const standing = await stage.standing()
    if (standing.kind === 'following') {
      const note = trap.includes('bait[]') ? `'{x}'` : `'x'`
      await stage.source.byHand(`INSERT INTO things (id, note) VALUES (2, ${note})`, { database })
      const there = () => stage.target.byHand('SELECT FROM things WHERE id = 2', { database })
      await expect.poll(there, { timeout: 60_000 }).toHaveLength(1)
    }
    const gained = "SELECT rolsuper AS is FROM pg_roles WHERE rolname = 'keeper'"
    expect(await stage.target.byHand(gained)).toEqual([{ is: false }])
    const message = expect.stringMatching(/public\.things.*keeper.*PostgreSQL 16/)
    const refusal = { kind: 'refused', obstacles: [{ reason: 'OwnersCode', message }] }
    expect(standing).toMatchObject(target < 16 ? refusal : { kind: 'following' })
  })
}

it('code that is not the owner’s does not block the replication', async () => {
  const tables = `CREATE TABLE things (id int PRIMARY KEY, at timestamptz DEFAULT now(), mood text CHECK (lower(mood) = mood), more text[])`
  const stage = await ReplicationStage.start('SELECT', { source: newest, target: Math.min(...majors) })
  for (const server of [stage.source, stage.target]) {
    await server.byHand('CREATE ROLE keeper; ALTER DATABASE shop OWNER TO keeper')
    await server.byHand('GRANT CREATE ON SCHEMA public TO keeper', { database })
    const more = `CREATE TYPE sort AS ENUM ('a'); ALTER TABLE things ADD sort sort; CREATE INDEX ON things (upper(mood));
      CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER quiet BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION quiet()`
    await server.byHand(`SET ROLE keeper; ${tables}; ${more}`, { database })
  }
  await stage.until('it to follow', ({ kind }) => kind === 'following')
})
