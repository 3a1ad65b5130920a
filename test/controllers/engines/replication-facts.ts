// Observations of both servers of a working replication, and of one without a subscription. Tests change single fields.
import type { PublisherFacts, SubscriberFacts } from '../../../src/controllers/engines/replication.ts'

export const replicationToken = { uid: 'mine', generation: 1 }
export const orders = { schema: 'app', name: 'orders' }

export const replicationSource: PublisherFacts = {
  admin: 'admin',
  isReadOnly: false,
  walLevel: 'logical',
  canReplicate: true,
  canPublish: true,
  freeSlots: 10,
  freeSenders: 10,
  tables: [{ ...orders, isUnlogged: false, hasIdentity: true, isPublished: true }],
  sequences: [],
  largeObjects: 0,
  login: { token: replicationToken, canLogin: true },
  publication: { token: replicationToken },
  slot: { isActive: true, confirmed: '0/100', isLost: false },
  position: '0/180',
}

export const followingTarget: SubscriberFacts = {
  admin: 'admin',
  isReadOnly: false,
  canSubscribe: true,
  freeWorkers: 4,
  tables: [{ ...orders, isEmpty: false, isFollowed: true, codeOf: null }],
  sequences: [],
  subscription: { token: { ...replicationToken, generation: 2 }, isEnabled: true, isRunning: true, failures: 0 },
}

export const emptyTarget: SubscriberFacts = {
  ...followingTarget,
  tables: [{ ...orders, isEmpty: true, isFollowed: false, codeOf: null }],
  subscription: undefined,
}
