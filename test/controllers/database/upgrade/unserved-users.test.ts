// Users that an upgrade waits for after a restore.
import { expect, it } from 'vitest'
import { unservedUsers } from '../../../../src/controllers/database/upgrade/unserved-users.ts'
import { live } from '../../../objects.ts'
import { databaseObject } from '../databases.ts'

const database = databaseObject({}, { status: { identity: { systemIdentifier: '7', databaseOID: 6 } } })

function user(databaseOID: number | undefined, more: { spec?: object; status?: object; metadata?: object } = {}) {
  const grantedIn = databaseOID === undefined ? [] : [{ database: 'shop_db', databaseOID }]
  return live({
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'DatabaseUser' },
    metadata: { name: 'web', namespace: 'shop', ...more.metadata },
    spec: { databases: [{ name: 'shop-db' }], ...more.spec },
    status: { grantedIn, ...more.status },
  })
}

it.each([
  ['one whose rights were given in what was there before', user(5), ['web']],
  [
    'one of another namespace',
    user(5, { metadata: { namespace: 'crm' }, spec: { databases: [{ name: 'shop-db', namespace: 'shop' }] } }),
    ['crm/web'],
  ],
  ['not one who has them', user(6), []],
  ['not one who never had any', user(undefined), []],
  ['not one of another database', user(5, { spec: { databases: [{ name: 'other' }] } }), []],
  ['not one who goes', user(5, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), []],
  ['not one who is suspended', user(5, { spec: { suspend: true } }), []],
  [
    'not one whom somebody has to put right first',
    user(5, { status: { conditions: [{ type: 'Stalled', status: 'True', reason: 'NotAllowed', message: '' }] } }),
    [],
  ],
])('an upgrade waits for %s', (_, one, expected) => {
  expect(unservedUsers(database, [one])).toEqual(expected)
})
