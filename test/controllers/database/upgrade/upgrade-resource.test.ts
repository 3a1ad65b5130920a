// Limit of the WAL that the source server of an upgrade keeps for the target server.
import { expect, it } from 'vitest'
import { lagLimit } from '../../../../src/controllers/database/upgrade/upgrade-resource.ts'
import { databaseObject } from '../databases.ts'

it.each([
  ['20Gi', 5n * 1_024n ** 3n],
  ['1G', 250_000_000n],
])('the limit is a quarter of a volume of %s', (size, bytes) => {
  expect(lagLimit(databaseObject({ provider: { inCluster: { storage: { size } } } }))).toBe(bytes)
})

it('the limit is absent when the volume is unknown', () => {
  expect(lagLimit(databaseObject())).toBeUndefined()
})
