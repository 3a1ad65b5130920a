// A deleted DatabaseUser with the annotation konverge.dev/abandon-external: a table of its Databases and of its
// recorded status.
import { describe, expect, it } from 'vitest'
import type { DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import { abandonmentOf } from '../../../src/controllers/database-user/abandonment.ts'
import { roleRemoval } from '../../../src/controllers/database-user/user-role.ts'
import { abandonAnnotation } from '../../../src/index.ts'
import { access, databaseObject, systemIdentifier } from '../database/databases.ts'

const entry = { name: 'shop-db', access: 'ReadOnly', schemas: ['public'] } as const
const identity = { systemIdentifier, databaseOID: 16_400 }
const endpoint = { host: 'db.example', port: 5432 }
const database = databaseObject({}, { status: { phase: 'Ready', identity, endpoint } })
const own = { entry, database }
const record = (server: string) => ({ name: 'role', externalName: 'web', providerID: `pg://${server}/role/1` })

function abandonment({ found = [own], status = {} }: { found?: readonly object[]; status?: object }) {
  const object = {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'DatabaseUser' },
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    status: status as DatabaseUserStatus,
  }
  return abandonmentOf({ object, found: found as never, recordName: 'role' })
}

describe('the abandonment of a DatabaseUser', () => {
  it.each([
    { when: 'nothing is recorded yet', status: {} },
    {
      when: 'its roles are on the server of its Database',
      status: { external: [record(systemIdentifier)], grantedIn: [{ database: 'shop_db', databaseOID: 16_400 }] },
    },
  ])('is allowed when $when', ({ status }) => {
    expect(abandonment({ status })).toEqual({ kind: 'allowed', place: 'db.example:5432' })
  })

  it.each([
    { when: 'it is a guest', found: [{ ...own, entry: { ...entry, namespace: 'data' } }], names: 'data/shop-db' },
    {
      when: 'it is a guest of a second Database',
      found: [own, { entry: { ...entry, namespace: 'data', name: 'crm' }, database: undefined }],
      names: 'data/crm',
    },
    {
      when: 'its roles are on another server than its Databases now name',
      status: { external: [record(`${systemIdentifier}1`)] },
      names: 'the server pg://',
    },
    {
      when: 'it has rights in a database that its spec no longer names',
      status: { external: [record(systemIdentifier)], grantedIn: [{ database: 'crm', databaseOID: 7 }] },
      names: 'the Database of crm',
    },
    {
      when: 'its own Database was never there and its roles are somewhere',
      found: [{ entry, database: undefined }],
      status: { external: [record(systemIdentifier)] },
      names: 'the server pg://',
    },
  ])('is rejected when $when', ({ names, ...more }) => {
    expect(abandonment(more)).toEqual({
      kind: 'refused',
      message: expect.stringMatching(
        new RegExp(`${abandonAnnotation} does not count.*${names}.*remove the annotation`),
      ),
    })
  })
})

describe('the removal of the roles of a DatabaseUser', () => {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' }
  const spec = { databases: [entry], attributes: {}, secret: {}, deletionPolicy: 'Delete' }
  const object = { apiVersion: 'data.konverge.dev/v1alpha1', kind: 'DatabaseUser', metadata, spec }
  const target = { access, systemIdentifier, databases: [] }
  const waiting = { kind: 'waiting', reason: 'EndpointNotAllowed', message: 'not on --allow-endpoint' }
  const removal = (facts: object | undefined) => roleRemoval({ object, facts } as never)
  const allowed = { kind: 'allowed', place: 'db.example:5432' }

  it.each([
    { when: 'the server does not answer', facts: { target } },
    { when: 'the endpoint is no longer allowed', facts: { problem: waiting } },
  ])('leaves the roles and names the server when they are abandoned and $when', ({ facts }) => {
    expect(removal({ ...facts, isRemade: false, abandonment: allowed })).toEqual({
      kind: 'keep',
      note: expect.stringMatching(/^the roles web, web_a, web_b, .* stay on db\.example:5432 and can still log in/),
    })
  })

  it('waits when the abandonment is rejected', () => {
    const abandonment = { kind: 'refused', message: 'no' }
    expect(removal({ target, isRemade: false, abandonment })).toEqual({
      kind: 'blocked',
      reason: 'AbandonmentRefused',
      message: 'no',
    })
  })

  it('needs no abandonment when no Database is left', () => {
    const abandonment = { kind: 'refused', message: 'no' }
    const problem = { kind: 'gone', reason: 'DatabaseMissing', message: 'there is no Database shop' }
    expect(removal({ problem, isRemade: false, abandonment })).toMatchObject({ kind: 'keep' })
  })
})
