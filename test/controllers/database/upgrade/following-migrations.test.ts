import { expect, it } from 'vitest'
import { followingMigrations } from '../../../../src/controllers/database/upgrade/following-migrations.ts'
import type { LiveObject } from '../../../../src/index.ts'

const object = (kind: string, name: string, rest: object = {}) =>
  ({
    apiVersion: 'v',
    kind,
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' },
    ...rest,
  }) as LiveObject
const migration = (database: string, ...sources: readonly (string | undefined)[]) =>
  object('Migration', 'v1', {
    spec: { databaseRef: { name: database } },
    status: { steps: sources.map((source) => ({ name: 's', ...(source && { source }) })) },
  })
const abroad = migration('orders', 'shop/old')

it.each([
  ['one that fills it', migration('orders', undefined, 'shop/old'), ['v1']],
  ['one that it fills', migration('new', 'shop/orders'), ['v1']],
  ['none that has nothing follow', migration('orders', undefined), []],
  ['none of other databases', migration('new', 'shop/old'), []],
  ['none of another namespace', { ...abroad, metadata: { ...abroad.metadata, namespace: 'crm' } }, []],
  ['none that has not begun', object('Migration', 'v1', { spec: { databaseRef: { name: 'orders' } } }), []],
])('a database replicates to %s', (_, one, expected) => {
  expect(followingMigrations(object('Database', 'orders'), [one])).toEqual(expected)
})
