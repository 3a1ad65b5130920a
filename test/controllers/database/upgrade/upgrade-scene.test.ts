// How much of its log may the old server of an upgrade keep for the new one?
import { expect, it } from 'vitest'
import { lagLimit } from '../../../../src/controllers/database/upgrade/upgrade-scene.ts'
import { databaseObject } from '../databases.ts'

it.each([
  ['20Gi', 5n * 1_024n ** 3n],
  ['1G', 250_000_000n],
])('as much as a quarter of a volume of %s', (size, bytes) => {
  expect(lagLimit(databaseObject({ provider: { inCluster: { storage: { size } } } }))).toBe(bytes)
})

it('any amount where nobody knows the volume', () => {
  expect(lagLimit(databaseObject())).toBeUndefined()
})
