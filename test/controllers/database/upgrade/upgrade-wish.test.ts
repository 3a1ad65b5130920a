// When does an upgrade begin, and when is it taken back?
import { expect, it } from 'vitest'
import { serverSides } from '../../../../src/controllers/database/server-sides.ts'
import { upgradeWish, waitsFor } from '../../../../src/controllers/database/upgrade/upgrade-wish.ts'
import type { SagaRecord } from '../../../../src/index.ts'
import { movingDatabase, startedAt, startedMs, upgradeRecord } from './upgrade-records.ts'

const pivotedAt = startedAt
const upgrade = { snapshot: 'Skip', cutover: 'Manual', keepPrevious: '24h' }
const completed = upgradeRecord('RetireOld', 'Done', { state: 'Completed', pivotedAt, finishedAt: startedAt })
const on18 = { server: { name: 'shop-db-pg18', version: '18' } }

function ask(spec: object, record?: SagaRecord, status?: object) {
  const object = movingDatabase(spec, status)
  const sides = serverSides({ object, record, previousClaim: 'owned', nowMs: startedMs })
  return { object, sides, record }
}

it.each([
  ['nothing where the version is as asked for', ask({ version: '15' }), { kind: 'none' }],
  ['it where it is another', ask({}), { kind: 'wanted', id: '15-to-18' }],
  ['it again for another word', ask({ upgrade: { ...upgrade, retry: 'b' } }), { kind: 'wanted', id: '15-to-18-b' }],
  ['nothing where nobody says how', ask({ upgrade: undefined }), { kind: 'none' }],
  ['nothing for an older version', ask({ version: '14' }), { kind: 'none' }],
  ['nothing before the database is there', ask({}, undefined, { providerID: undefined }), { kind: 'none' }],
  ['the way back for the old version', ask({ version: '15' }, upgradeRecord('Replicate')), { kind: 'cancelled' }],
  [
    'no way back after the first login',
    ask({ version: '18' }, upgradeRecord('RetireOld', 'Running', { pivotedAt })),
    { kind: 'none' },
  ],
  ['nothing more when it is over', ask({}, completed, on18), { kind: 'none' }],
])('wants %s', (_, input, wish) => {
  expect(upgradeWish(input)).toMatchObject(wish)
})

it('pins what it begins with', () => {
  expect(upgradeWish(ask({}))).toMatchObject({
    input: { from: '15', fromServer: 'shop-db-postgres', to: '18', snapshot: 'Skip', keepPrevious: '24h' },
  })
})

it('says what the next one waits for', () => {
  const next = { ...ask({ version: '19' }, completed, on18) }
  expect(upgradeWish(next)).toEqual({ kind: 'none' })
  expect(waitsFor(next)).toBe(
    'server shop-db-postgres of version 15 is still kept; to let it go now, set spec.upgrade.keepPrevious to 0s',
  )
  expect(waitsFor(ask({}, undefined, { providerID: undefined }))).toBe('the database is not there yet')
  expect(waitsFor(ask({}))).toBeUndefined()
})
