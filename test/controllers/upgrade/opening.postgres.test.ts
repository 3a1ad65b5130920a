// Admission of applications at the target server. Invariant: all recorded logins are admitted at once, no others, and
// not before the rehearsal.
import { expect, it } from 'vitest'
import type { FreezeRecord } from '../../../src/controllers/engines/write-freeze.ts'
import { prepareSide } from '../../../src/controllers/upgrade/new-side-worker.ts'
import { Opening } from '../../../src/controllers/upgrade/opening-client.ts'
import { pairs } from '../engines/replication/replication-stage.ts'
import { never } from '../stores/contents.ts'
import { order, SideStage } from './side-stage.ts'

const record: FreezeRecord = { logins: ["Odd 'role'", 'app_a'] }
const shop = { database: 'shop' }

async function prepared() {
  const stage = await SideStage.start(pairs()[0] ?? [0, 0])
  await stage.old.byHand('REFRESH MATERIALIZED VIEW api.daily', shop)
  await prepareSide(order, stage.tools, never)
  return { stage, opening: new Opening(order, stage.tools, never) }
}

const mayLogIn = 'SELECT rolname AS name FROM pg_roles WHERE rolcanlogin AND NOT rolsuper ORDER BY 1'

it('the opening admits the recorded logins, and leaves nothing of the move', async () => {
  const { stage, opening } = await prepared()
  expect(await opening.look(record)).toEqual({ kind: 'missing' })
  await opening.rehearse(record, [{ sql: 'SELECT count(*) FROM public.orders', expect: '0' }])
  expect(await opening.look(record)).toEqual({ kind: 'missing' })
  expect(await stage.new.byHand(mayLogIn)).toEqual([])
  expect(await stage.new.byHand('SELECT count::int FROM api.daily', shop)).toEqual([{ count: 0 }])
  await opening.open(record)
  await opening.open(record)
  expect(await opening.look(record)).toEqual({ kind: 'done' })
  expect(await stage.new.byHand(mayLogIn)).toEqual(record.logins.map((name) => ({ name })))
  expect(await stage.new.byHand("SELECT FROM pg_roles WHERE rolname LIKE 'konverge%'")).toEqual([])
})

it('the opening only moves forward when a login was admitted by hand', async () => {
  const { stage, opening } = await prepared()
  await stage.new.byHand('ALTER ROLE app_a LOGIN')
  expect(await opening.look(record)).toMatchObject({ kind: 'broken', isTerminal: false })
  await opening.open(record)
  expect(await opening.look(record)).toEqual({ kind: 'done' })
})

it('the opening does not happen after a failed rehearsal', async () => {
  const { stage, opening } = await prepared()
  const trials = [
    ['another answer', record, 'SELECT count(*) FROM public.orders', '1', 'QueryFailed'],
    ['a query that fails', record, 'SELECT FROM public.nothing', '1', 'NotFound'],
    ['more than the owner may', record, "SELECT pg_catalog.pg_read_file('/etc/hostname')", '', 'InsufficientPrivilege'],
    ['somebody who came since', { logins: ['late'] }, 'SELECT 1', '1', 'NotMovable'],
  ] as const
  for (const [what, logins, sql, answer, code] of trials) {
    await expect(opening.rehearse(logins, [{ sql, expect: answer }]), what).rejects.toMatchObject({ code })
    expect(await stage.new.byHand(mayLogIn), what).toEqual([])
    expect(await opening.look(record), what).toEqual({ kind: 'missing' })
  }
})

it("the opening makes no role a superuser by a superuser's view, which it rejects before", async () => {
  const stage = await SideStage.start(pairs()[0] ?? [0, 0])
  await stage.old.byHand('CREATE MATERIALIZED VIEW public.total AS SELECT count(*) FROM public.orders', shop)
  const trap = `SET ROLE shop_owner; CREATE FUNCTION public.trap() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE 'SET ROLE postgres'; EXECUTE 'ALTER ROLE shop_owner SUPERUSER'; EXECUTE 'RESET ROLE'; RETURN 0; EXCEPTION WHEN OTHERS THEN RETURN 0; END $$`
  await stage.old.byHand(trap, shop)
  const message = expect.stringContaining('materialized view total of superuser postgres')
  const made = prepareSide(order, stage.tools, never).then(async () => {
    await new Opening(order, stage.tools, never).rehearse(record, [{ sql: 'SELECT public.trap()', expect: '0' }])
  })
  const error = await made.catch((thrown: unknown) => thrown)
  const gained = "SELECT FROM pg_roles WHERE rolname = 'shop_owner' AND rolsuper"
  expect(await stage.new.byHand(gained)).toEqual([])
  expect(error).toMatchObject({ code: 'NotMovable', message })
})
