// Observation of a server, row by row: the database, its owner, and the cases without a result.
import { describe, expect, it } from 'vitest'
import { observationOf } from '../../../src/controllers/database/database-observation.ts'
import { logical, observedDatabase, observedRole, otherToken, providerID, server, token } from './databases.ts'

const ours = { server, databases: [observedDatabase()], roles: [observedRole()] }
const call = { desired: logical(), token, providerID: undefined, adopts: false }
const leaving = { ...call, desired: logical({ isLeaving: true }), providerID }
const otherServer = { ...server, systemIdentifier: '99' }

describe('an existing database', () => {
  it.each([
    ['by its own mark', {}, token, token],
    ['by its owner’s, before it has its own', { token: undefined }, token, token],
    ['not, if both say so', { token: otherToken }, otherToken, otherToken],
    ['not, if neither says so', { token: undefined }, undefined, undefined],
  ])('belongs to the Database: %s', (_, own, roleToken, owner) => {
    const roles = [observedRole({ token: roleToken })]
    const look = observationOf(call, { ...ours, roles, databases: [observedDatabase(own)] })
    expect(look).toMatchObject({ kind: 'there', providerID, owner })
    expect(look).toHaveProperty('isReadable', owner === token)
  })

  it.each([
    ['the one that we made, if its mark was overwritten', 16_400, token],
    ['another one in its place, given to the same role', 16_401, undefined],
  ])('with a known identity is %s', (_, oid, owner) => {
    const databases = [observedDatabase({ oid, token: undefined })]
    expect(observationOf({ ...call, providerID }, { ...ours, databases })).toMatchObject({ kind: 'there', owner })
  })

  it('reports the database that a restore has replaced', () => {
    const replaced = 'pg://42/16399'
    const databases = [observedDatabase({ succession: { request: 'r1', replaced } })]
    expect(observationOf(call, { ...ours, databases })).toMatchObject({ kind: 'there', succeeds: replaced })
    expect(observationOf(call, ours)).toMatchObject({ kind: 'there', succeeds: undefined })
  })

  it('is read when it may be adopted, not when it is being removed, and not when it accepts no connections', () => {
    const roles = [observedRole({ token: otherToken })]
    const foreign = { ...ours, roles, databases: [observedDatabase({ token: otherToken })] }
    expect(observationOf({ ...call, adopts: true }, foreign)).toMatchObject({ isReadable: true })
    expect(observationOf(leaving, ours)).toMatchObject({ isReadable: false })
    const closed = { ...ours, databases: [observedDatabase({ allowsConnections: false })] }
    expect(observationOf(call, closed)).toMatchObject({ isReadable: false })
  })
})

it.each([false, true])(
  'belongs to the Database with its known identity, whatever namespace its comment names; adopts: %s',
  (adopts) => {
    const guest = { uid: 'of a guest', generation: 1, holder: 'Database mallory/mine' }
    const roles = [observedRole({ token })]
    const seen = { ...ours, roles, databases: [observedDatabase({ token: guest })] }
    expect(observationOf({ ...call, providerID, adopts }, seen)).toMatchObject({ kind: 'there', owner: token })
    const another = { ...seen, databases: [observedDatabase({ token: guest, oid: 16_401 })] }
    expect(observationOf({ ...call, providerID, adopts }, another)).toMatchObject({
      observation: { reason: 'NotOwned' },
    })
  },
)

it('with contradicting markers belongs to no Database, for any requester and request', () => {
  const disagreeing = { ...ours, databases: [observedDatabase({ token: otherToken })] }
  for (const asked of [call, { ...call, adopts: true }, { ...leaving, providerID: undefined }]) {
    for (const uid of [token.uid, otherToken.uid]) {
      const look = observationOf({ ...asked, token: { uid, generation: 1 } }, disagreeing)
      expect(look).toMatchObject({ kind: 'decided', observation: { kind: 'broken', reason: 'NotOwned' } })
    }
  }
})

it('that was dropped halfway is unusable, and can only be dropped', () => {
  const half = { ...ours, databases: [observedDatabase({ isInvalid: true, allowsConnections: false })] }
  expect(observationOf(call, half)).toMatchObject({ observation: { kind: 'broken', reason: 'DatabaseInvalid' } })
  expect(observationOf(leaving, half)).toMatchObject({ kind: 'there', owner: token })
})

describe('a database with another encoding than requested', () => {
  const seen = {
    ...ours,
    roles: [observedRole({ token: undefined })],
    databases: [observedDatabase({ encoding: 'LATIN1', token: undefined, ownerToken: undefined })],
  }
  const asked = { ...call, desired: logical({ encoding: 'UTF8' }) }

  it.each([
    ['is not taken over', { ...asked, adopts: true }, { kind: 'decided', observation: { reason: 'EncodingDiffers' } }],
    ['is told where it is ours', { ...asked, providerID }, { kind: 'decided', observation: { kind: 'broken' } }],
    ['is nobody’s business where it is somebody else’s', asked, { kind: 'there', owner: undefined }],
    ['can go', { ...leaving, desired: logical({ encoding: 'UTF8', isLeaving: true }) }, { kind: 'there' }],
  ] as const)('%s', (_, wanted, look) => {
    expect(observationOf(wanted, seen)).toMatchObject(look)
  })
})

describe('a missing database', () => {
  const none = { server, databases: [], roles: [] }
  const onlyOurRole = { ...none, roles: [observedRole()] }
  const onlyForeignRole = { ...none, roles: [observedRole({ token: otherToken })] }
  const absent = { kind: 'decided', observation: { kind: 'absent', proof: 'authoritative' } }
  const broken = (reason: string) => ({ kind: 'decided', observation: { kind: 'broken', reason, isTerminal: true } })

  it.each([
    ['is absent', call, none, absent],
    ['is absent, though its owner is there already', call, onlyOurRole, absent],
    ['cannot be made while its owner’s name is somebody’s', call, onlyForeignRole, broken('NotOwned')],
    ['can, if that role may be adopted', { ...call, adopts: true }, onlyForeignRole, absent],
    ['is absent where it was', { ...call, providerID }, onlyOurRole, absent],
    ['was on another server', { ...call, providerID }, { ...none, server: otherServer }, broken('IdentityChanged')],
    [
      'may be made anew on another server',
      { ...call, providerID, desired: logical({ recreatesIfMissing: true }) },
      { ...none, server: otherServer },
      absent,
    ],
    ['is gone', leaving, none, absent],
    ['is gone, and a role of its owner’s name is somebody else’s', leaving, onlyForeignRole, absent],
    ['has left its owner', leaving, onlyOurRole, { kind: 'there', providerID, owner: token }],
    ['may still be on another server', leaving, { ...none, server: otherServer }, broken('IdentityChanged')],
    ['was never seen, and has left its owner', { ...leaving, providerID: undefined }, onlyOurRole, { owner: token }],
  ] as const)('%s', (_, asked, seen, look) => {
    expect(observationOf(asked, seen)).toMatchObject(look)
  })
})

it('cannot be distinguished from one on a read-only server, which may lag', () => {
  const standby = { ...ours, server: { ...server, isReadOnly: true } }
  expect(() => observationOf(call, standby)).toThrowError(
    expect.objectContaining({ code: 'ServerUnreachable', remedy: 'retry' }),
  )
})
