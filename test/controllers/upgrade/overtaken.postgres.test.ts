// A worker that was believed dead while its successor runs. Invariant: it does no harm to the successor.
// The test stops it at a statement, for real, and resumes it when the successor is at work or done.
import { expect, it } from 'vitest'
import type { DatabaseServer } from '../../../src/controllers/engines/engine.ts'
import { PublisherClient } from '../../../src/controllers/engines/postgres/replication/publisher-client.ts'
import { SubscriberClient } from '../../../src/controllers/engines/postgres/replication/subscriber-client.ts'
import { observeSide, prepareSide, removeSide } from '../../../src/controllers/upgrade/new-side-worker.ts'
import { Opening } from '../../../src/controllers/upgrade/opening-client.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { pairs } from '../engines/replication/replication-stage.ts'
import { never } from '../stores/contents.ts'
import { order, SideStage } from './side-stage.ts'

const way = () => pairs()[0] ?? ([0, 0] as const)
const followed = { ...order, holds: 'rows' } as const
/** A single owner: then no reassignment keeps an older worker from giving away an empty database. */
const oneOwner = `REASSIGN OWNED BY app TO shop_owner; DROP SCHEMA ext CASCADE; ALTER SCHEMA "Odd schema" OWNER TO shop_owner;
  ALTER TABLE public.audit OWNER TO shop_owner`
const nextOrder = "SELECT nextval('orders_id_seq')::int AS id"
type Call = 'restore' | 'restorePrivileges'

it.each<[string, Call]>([
  ['gives nothing to its owners', 'restore'],
  ['does not say that all is there', 'restorePrivileges'],
])('a late worker %s where another one restores', async (_, last) => {
  const stage = await SideStage.start(way())
  await stage.old.byHand(oneOwner, { database: 'shop' })
  const young = stage.here.at(stage.new.access())
  const [older, newer] = [new Gate(), new Gate()]
  const first = settled(prepareSide(followed, stopped(stage, last, 'after', older), never))
  await older.reached
  const second = settled(prepareSide(followed, stopped(stage, 'restore', 'before', newer), never))
  await newer.reached
  older.open()
  expect(await first).toMatchObject({ code: 'NotFound', remedy: 'retry' })
  expect(await observeSide(followed, young)).toMatchObject({ kind: 'partial' })
  newer.open()
  expect(await second).toBeUndefined()
  expect(await observeSide(followed, young)).toMatchObject({ kind: 'prepared' })
  expect(await stage.sight(stage.new)).toEqual(await stage.sight(stage.old))
  expect(await stage.new.byHand('SELECT FROM orders', { database: 'shop' })).toHaveLength(10)
})

it('a late worker removes nothing that another one has created since its observation', async () => {
  const stage = await SideStage.start(way())
  const died = { ...stage.tools.logical, restore: () => Promise.reject(new Error('died')) }
  await prepareSide(followed, { ...stage.tools, logical: died }, never).catch(() => undefined)
  const young = stage.here.at(stage.new.access())
  const removal = removeSide(
    followed,
    lateServer(young, 'change', async () => {
      await prepareSide(followed, stage.tools, never)
      await new Opening(order, stage.tools, never).open({ logins: ['app_a'] })
      await stage.new.byHand("INSERT INTO public.orders (n, what) VALUES (11, 'acknowledged')", { database: 'shop' })
    }),
  )
  expect(await settled(removal)).toMatchObject({ code: 'NotFound' })
  expect(await observeSide(followed, young)).toEqual({ kind: 'opened' })
  expect(await stage.new.byHand('SELECT FROM orders', { database: 'shop' })).toHaveLength(11)
})

it('a late worker removes nothing that was created while it waited for a publication', async () => {
  const stage = await SideStage.start(way())
  const died = { ...stage.tools.logical, restore: () => Promise.reject(new Error('died')) }
  await prepareSide(followed, { ...stage.tools, logical: died }, never).catch(() => undefined)
  const older = withLateSource(stage, async () => {
    await prepareSide(followed, stage.tools, never)
    await stage.old.byHand('CREATE PUBLICATION konverge_to_18 FOR ALL TABLES', { database: 'shop' })
  })
  const removal = prepareSide({ ...order, holds: 'followingRows' }, older, never)
  expect(await settled(removal)).toMatchObject({ code: 'NotFound', remedy: 'retry' })
  expect(await observeSide(followed, stage.here.at(stage.new.access()))).toMatchObject({ kind: 'prepared' })
})

it('a late worker retries when another one has started since its observation', async () => {
  const stage = await SideStage.start(way())
  const older = withLateSource(stage, () => prepareSide(order, stage.tools, never))
  expect(await settled(prepareSide(order, older, never))).toMatchObject({ code: 'Contention', remedy: 'retry' })
  await prepareSide(order, stage.tools, never)
  expect(await stage.sight(stage.new)).toEqual(await stage.sight(stage.old))
})

it('a late worker resets no sequence that applications have used since', async () => {
  const stage = await SideStage.start(way())
  const old = stage.here.at(stage.old.access())
  await prepareSide(followed, stage.tools, never)
  const positions = await new PublisherClient(old, order).sequencePositions()
  const overtaken = subscriberOf(stage)
  await stage.new.byHand("SELECT setval('orders_id_seq', 500)", { database: 'shop' })
  await overtaken.setSequences(positions)
  expect(await stage.new.byHand(nextOrder, { database: 'shop' })).toEqual([{ id: 11 }])
  await new Opening(order, stage.tools, never).open({ logins: ['app_a'] })
  expect(await stage.new.byHand(nextOrder, { database: 'shop' })).toEqual([{ id: 12 }])
  await overtaken.setSequences(positions)
  expect(await stage.new.byHand(nextOrder, { database: 'shop' })).toEqual([{ id: 13 }])
})

it('a late worker resets no sequence while applications are admitted', async () => {
  const stage = await SideStage.start(way())
  const old = stage.here.at(stage.old.access())
  await prepareSide(followed, stage.tools, never)
  const positions = await new PublisherClient(old, order).sequencePositions()
  const overtaken = subscriberOf(stage)
  const opening = await stage.new.connect({ database: 'shop' })
  try {
    await opening.query("SELECT setval('orders_id_seq', 500); BEGIN; DROP ROLE konverge_to_18")
    const late = settled(overtaken.setSequences(positions))
    // It waits for five seconds. The query uses an open session.
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted'
    const wait = { what: 'the late statement to wait', everyMs: 5 }
    await waitUntil(wait, async () => (await opening.query(waiting)).rowCount === 1)
    await opening.query('COMMIT')
    expect(await late).toBeUndefined()
  } finally {
    await opening.end()
  }
  expect(await stage.new.byHand(nextOrder, { database: 'shop' })).toEqual([{ id: 501 }])
})

class Gate {
  readonly #arrival = Promise.withResolvers<void>()
  readonly #leave = Promise.withResolvers<void>()

  get reached(): Promise<void> {
    return this.#arrival.promise
  }

  async pass(): Promise<void> {
    this.#arrival.resolve()
    await this.#leave.promise
  }

  open(): void {
    this.#leave.resolve()
  }
}

function subscriberOf({ here, new: young }: SideStage): SubscriberClient {
  const end = { ...order, sourceDatabase: order.database, majorVersion: young.version }
  return new SubscriberClient(here.at(young.access()), end)
}

/** Returns the tools, which wait at the gate at this call. */
function stopped({ tools }: SideStage, call: Call, when: 'before' | 'after', gate: Gate): SideStage['tools'] {
  const { logical } = tools
  const held: typeof logical.restore = async (work) => {
    if (when === 'before') await gate.pass()
    await logical[call](work)
    if (when === 'after') await gate.pass()
  }
  return { ...tools, logical: { ...logical, [call]: held } }
}

function withLateSource({ tools }: SideStage, meanwhile: () => Promise<void>): SideStage['tools'] {
  const { engine } = tools
  const server: typeof engine.server = (access, use) => {
    const one = engine.server(access, use)
    return access === tools.old ? lateServer(one, 'query', meanwhile) : one
  }
  return { ...tools, engine: { ...engine, server } }
}

/** Returns the server with a hook that runs before the first of these calls. */
function lateServer(server: DatabaseServer, call: 'change' | 'query', meanwhile: () => Promise<void>): DatabaseServer {
  let isLate = false
  const late =
    <Given extends readonly unknown[], Answer>(which: typeof call, act: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      if (which === call && !isLate) {
        isLate = true
        await meanwhile()
      }
      return act(...given)
    }
  return {
    observe: (question) => server.observe(question),
    observeContents: (database) => server.observeContents(database),
    observeGrants: (database, question) => server.observeGrants(database, question),
    sessions: (filter) => server.sessions(filter),
    change: late('change', (changes, at) => server.change(changes, at)),
    changeDespite: (changes, roles) => server.changeDespite(changes, roles),
    createDatabase: (wish) => server.createDatabase(wish),
    dropDatabase: (database, options) => server.dropDatabase(database, options),
    terminate: (filter) => server.terminate(filter),
    endSessions: (filter) => server.endSessions(filter),
    tryLogin: (attempt) => server.tryLogin(attempt),
    query: late('query', (statement) => server.query(statement)),
    queryJson: late('query', (statement, about) => server.queryJson(statement, about)),
  }
}

/** Returns the error of the rejection. */
async function settled(work: Promise<void>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    return error
  }
}
