// Comparison of two servers of any versions, for real, from the oldest version to the newest. Invariant: it finds every
// difference.
import { expect, it, onTestFinished } from 'vitest'
import { compareSides } from '../../../src/controllers/upgrade/comparison-runner.ts'
import { prepareSide } from '../../../src/controllers/upgrade/new-side-worker.ts'
import { usualBudget } from '../../../src/controllers/upgrade/sides-difference.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { pairs } from '../engines/replication/replication-stage.ts'
import { never } from '../stores/contents.ts'
import { order, SideStage } from './side-stage.ts'

const shop = { database: 'shop' }
const values = `CREATE TABLE public.every (id int PRIMARY KEY, f double precision, n numeric, t timestamptz, i interval, b bytea, j jsonb,
    a text[], u uuid, m money, t2 text);
  INSERT INTO public.every VALUES (1, 0.1, 1.50, '2026-03-29 01:30+00', '1 month 3 days', '\\x00ff', '{"b": 1, "a": [1.0]}',
    '{x,"y z"}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 5.25, 'e'), (2, 'NaN', NULL, 'infinity', '-1 year', '', 'null', '{}', NULL, NULL, NULL);`

it('a comparison reports the differences, and nothing when there are none', { timeout: 300_000 }, async () => {
  const stage = await SideStage.start(pairs()[0] ?? [0, 0])
  await stage.old.byHand(values, shop)
  await prepareSide(order, stage.tools, never)
  const differences = (budget?: Parameters<typeof compareSides>[3]) => compareSides(order, stage.tools, never, budget)
  expect(await differences()).toEqual([
    ...['table public.every has 0 rows instead of 2', 'table public.orders has 0 rows instead of 10'],
    'sequence public.orders_id_seq stands before 1 instead of at 10',
  ])
  const rows = values.slice(values.indexOf('INSERT'))
  await stage.new.byHand(rows, shop)
  await stage.new.byHand(
    "INSERT INTO public.orders (n, what) SELECT n, 'row ' || n FROM generate_series(1, 10) n",
    shop,
  )
  expect(await differences()).toEqual([])
  await stage.new.byHand("UPDATE public.orders SET what = 'other' WHERE n = 5", shop)
  expect(await differences()).toEqual(['table public.orders has other rows, though as many (10)'])
  expect(await differences({ ...usualBudget, hashBytes: 0, countBytes: 1e12 })).toEqual([])
  await stage.new.byHand('DELETE FROM public.orders WHERE n = 5', shop)
  expect(await differences({ ...usualBudget, hashBytes: 0, countBytes: 0 })).toEqual([])
  expect(await differences()).toEqual(['table public.orders has 9 rows instead of 10'])
  await stage.new.byHand("INSERT INTO public.orders (id, n, what) VALUES (5, 5, 'row 5')", shop)
  await stage.old.byHand("ALTER ROLE app_a PASSWORD 'new'; CREATE ROLE late LOGIN; GRANT app TO late")
  expect(await differences()).toEqual([
    ...['role app_a has another password at the old side', 'role late is only at the old side'],
    'memberships of roles are others at the old side (1)',
  ])
})

it('a comparison ends in time when a table takes too long, and reports what it has read', {
  timeout: 300_000,
}, async () => {
  const stage = await SideStage.start(pairs()[0] ?? [0, 0])
  await stage.old.byHand(
    'CREATE TABLE public.large (id int PRIMARY KEY); INSERT INTO public.large SELECT generate_series(1, 10000)',
    shop,
  )
  await prepareSide(order, stage.tools, never)
  const proxy = await SqlProxy.start(stage.old.access())
  onTestFinished(() => proxy.stop())
  proxy.judge = ({ text }) => (text.includes('ONLY "public"."large"') ? 'hang' : 'pass')
  const budget = { ...usualBudget, limitMs: 15_000 }
  expect(await compareSides(order, { ...stage.tools, old: proxy.access() }, never, budget)).toEqual([
    ...[
      'table public.orders has 0 rows instead of 10',
      'sequence public.orders_id_seq stands before 1 instead of at 10',
    ],
  ])
})
