import { describe, expect, it } from 'vitest'
import type { PublisherFacts, SubscriberFacts } from '../../../src/controllers/engines/replication.ts'
import { hasCaughtUp, replicationState } from '../../../src/controllers/engines/replication-state.ts'
import {
  emptyTarget as empty,
  orders,
  replicationSource as source,
  followingTarget as target,
  replicationToken as token,
} from './replication-facts.ts'

const foreign = { uid: 'other', generation: 1 }
const slot = { isActive: false, confirmed: '0/100', isLost: false }

describe('the state of a replication', () => {
  it.each<readonly [string, Partial<PublisherFacts>, SubscriberFacts, object]>([
    ['a login is due', { login: undefined, publication: undefined, slot: undefined }, empty, { next: 'admit' }],
    ['a login that is away', { login: { token, canLogin: false } }, empty, { next: 'admit' }],
    ['a publication is due', { publication: undefined, slot: undefined }, empty, { next: 'publish' }],
    ['rows are due, which come with a slot', { slot: undefined }, empty, { kind: 'incomplete', next: 'fill' }],
    ['it follows', {}, target, { kind: 'following', lagBytes: 128n, failures: 0 }],
    ['its slot is lost', { slot: { ...slot, isLost: true } }, target, { cause: { reason: 'SlotLost' } }],
    ['its slot is gone', { slot: undefined }, target, { cause: { reason: 'SlotLost' } }],
    ['its publication is gone', { publication: undefined }, target, { cause: { reason: 'SlotLost' } }],
    [
      'a table came since',
      {
        tables: [
          ...source.tables,
          { ...orders, name: 'new', isUnlogged: false, hasIdentity: true, isPublished: false },
        ],
      },
      target,
      { kind: 'broken', cause: { reason: 'TablesChanged', message: expect.stringMatching(/^app\.new came/) } },
    ],
    [
      'a table went at the target',
      {},
      { ...target, tables: [] },
      { cause: { reason: 'TablesChanged', message: expect.stringMatching(/^app\.orders are no longer/) } },
    ],
    [
      'somebody has disabled it',
      {},
      { ...target, subscription: { token, isEnabled: false, isRunning: false, failures: 0 } },
      { cause: { reason: 'SubscriptionDisabled' } },
    ],
    [
      'a login of somebody else has its name',
      { login: { token: foreign, canLogin: true } },
      empty,
      { kind: 'refused', obstacles: [{ reason: 'NotOwned', message: expect.stringContaining('a login') }] },
    ],
    [
      'a subscription of somebody else has its name',
      {},
      { ...target, subscription: { token: undefined, isEnabled: true, isRunning: true, failures: 0 } },
      { kind: 'refused' },
    ],
    [
      'the admin may nothing',
      { canReplicate: false, canPublish: false, isReadOnly: true },
      empty,
      {
        obstacles: [
          { reason: 'ServerReadOnly' },
          { reason: 'MissingReplicationRight' },
          { reason: 'MissingReplicationRight' },
        ],
      },
    ],
    [
      'there is no room',
      { slot: undefined, freeSlots: 1 },
      { ...empty, freeWorkers: 1 },
      { obstacles: [{ reason: 'TooManySlots' }, { reason: 'TooManySlots' }] },
    ],
    ['our slot takes the room', { freeSlots: 0 }, empty, { next: 'fill' }],
    [
      'a sequence may not be read',
      { sequences: [{ ...orders, lastValue: null, increment: '1', isReadable: false }] },
      empty,
      { obstacles: [{ reason: 'SequencesUnreadable' }] },
    ],
    ['the target is read only', {}, { ...empty, isReadOnly: true }, { obstacles: [{ reason: 'ServerReadOnly' }] }],
    [
      'the target would run code of its owner as the admin',
      {},
      { ...empty, tables: empty.tables.map((table) => ({ ...table, codeOf: 'shop_owner' })) },
      {
        obstacles: [
          {
            reason: 'OwnersCode',
            message: expect.stringContaining('app.orders of the target would run code of "shop_owner"'),
          },
        ],
      },
    ],
  ])('%s', (_, changes, there, standing) => {
    const sides = { source: { ...source, ...changes }, target: there, filledFrom: undefined }
    expect(replicationState(sides, token)).toMatchObject(standing)
  })

  it.each<readonly [string, Partial<PublisherFacts>, string | undefined, object]>([
    ['a slot is there whose rows are not', {}, undefined, { kind: 'incomplete', next: 'fill' }],
    ['rows and slot are of one moment', {}, '0/100', { kind: 'incomplete', next: 'subscribe' }],
    ['the slot is of a later moment', {}, '0/FF', { kind: 'broken', cause: { reason: 'SlotLost' } }],
    ['the slot is of an earlier moment', {}, '0/101', { kind: 'broken', cause: { reason: 'SlotLost' } }],
    ['the slot is gone', { slot: undefined }, '0/100', { kind: 'broken', cause: { reason: 'SlotLost' } }],
    ['the slot is lost', { slot: { ...slot, isLost: true } }, '0/100', { cause: { reason: 'SlotLost' } }],
    ['a publication is due before rows', { publication: undefined }, undefined, { next: 'publish' }],
  ])('with known rows is: %s', (_, changes, from, standing) => {
    const tables = [{ ...orders, isEmpty: from === undefined, isFollowed: false, codeOf: null }]
    const sides = { source: { ...source, ...changes }, target: { ...empty, tables }, filledFrom: from }
    expect(replicationState(sides, token)).toMatchObject(standing)
  })

  it('is replicating whatever has become of the snapshot of its rows', () => {
    expect(replicationState({ source, target, filledFrom: undefined }, token)).toMatchObject({
      kind: 'following',
    })
  })

  it('is caught up when the target has stored all, and not before it replicates', () => {
    expect(hasCaughtUp({ source, target, filledFrom: undefined }, token, '0/100')).toBe(true)
    expect(hasCaughtUp({ source, target, filledFrom: undefined }, token, '0/101')).toBe(false)
    expect(hasCaughtUp({ source, target: empty, filledFrom: '0/100' }, token, '0/1')).toBe(false)
  })
})
