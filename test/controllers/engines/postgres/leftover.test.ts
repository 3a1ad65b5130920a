// Leftovers of each statement that cannot run in a transaction, by the real grammar.
import { expect, it } from 'vitest'
import { leftoversOf } from '../../../../src/controllers/engines/postgres/migration/leftover.ts'
import { loadSqlParser } from '../../../../src/controllers/engines/postgres/review/parser-loader.ts'

const index = { kind: 'index', table: '"shop"."orders"', name: 'made' }

it.each([
  { text: 'CREATE INDEX CONCURRENTLY made ON shop.orders (a)', leftovers: [index] },
  { text: 'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS made ON shop.orders (a)', leftovers: [index] },
  { text: 'CREATE INDEX made ON shop.orders (a)', leftovers: [] },
  { text: 'REINDEX TABLE CONCURRENTLY orders', leftovers: [{ kind: 'copies', of: '"orders"' }] },
  { text: 'REINDEX SCHEMA CONCURRENTLY shop', leftovers: [] },
  {
    text: 'ALTER TABLE orders DETACH PARTITION "Old" CONCURRENTLY',
    leftovers: [{ kind: 'detachment', table: '"orders"', partition: '"Old"' }],
  },
  { text: 'DROP INDEX CONCURRENTLY made', leftovers: [] },
  { text: 'VACUUM', leftovers: [] },
  { text: 'VACUUM (ANALYZE) orders', leftovers: [] },
  { text: 'CALL pay()', leftovers: [] },
  { text: 'DO $$ BEGIN COMMIT; END $$', leftovers: [] },
  { text: 'CREATE DATABASE other', leftovers: [] },
])('$text', async ({ text, leftovers }) => {
  expect(leftoversOf(text, await loadSqlParser())).toEqual(leftovers)
})
