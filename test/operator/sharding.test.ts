import { describe, expect, it } from 'vitest'
import { assertSharding, electionOptionsOf, type Sharding } from '../../src/operator/sharding.ts'

const eu: Sharding = { kind: 'selection', name: 'eu' }

describe('sharding', () => {
  it.each<[string, Parameters<typeof assertSharding>]>([
    ['is absent', [undefined, {}]],
    ['divides by a hash', [{ kind: 'hash' }, { namespaces: ['a'] }]],
    ['selects by namespaces', [eu, { namespaces: ['a'] }]],
    ['selects by labels', [eu, { labelSelector: 'region=eu' }]],
  ])('is accepted if it %s', (_, asked) => {
    expect(() => assertSharding(...asked)).not.toThrow()
  })

  it.each<[string, Parameters<typeof assertSharding>]>([
    [
      "sharding by hash needs Leases: remove 'leaderElection.enabled: false'",
      [{ kind: 'hash' }, { electsLeader: false }],
    ],
    ['runnables run where the leader is', [{ kind: 'hash' }, { runnables: [{}] }]],
    [
      'the children of shops are in the cluster edge, which no hash divides',
      [{ kind: 'hash' }, { controllers: [{ name: 'pages' }, { name: 'shops', childrenIn: 'edge' }] }],
    ],
    ['handOverMs is a positive number', [{ kind: 'hash', handOverMs: 0 }, {}]],
    ["a shard cannot be called 'EU'", [{ kind: 'selection', name: 'EU' }, { namespaces: ['a'] }]],
    [
      'the controller pages has finalizer: false, and a named shard marks its resources',
      [eu, { labelSelector: 'region=eu', controllers: [{ name: 'pages', finalizer: false }] }],
    ],
    ["the shard 'eu' selects all resources", [eu, {}]],
    ["the shard 'eu' selects all resources", [eu, { labelSelector: ' , ' }]],
  ])('is rejected: %s', (message, asked) => {
    expect(() => assertSharding(...asked)).toThrow(message)
  })
})

describe('the Lease of a shard', () => {
  it('differs between shards, unless the user names it', () => {
    expect(electionOptionsOf('shop', undefined, {})).toEqual({})
    expect(electionOptionsOf('shop', eu, { leaseName: undefined })).toEqual({ leaseName: 'shop-eu' })
    expect(electionOptionsOf('shop', eu, { leaseName: 'mine' })).toEqual({ leaseName: 'mine' })
    expect(electionOptionsOf('shop', { kind: 'hash' }, { enabled: undefined })).toEqual({ enabled: true })
  })
})
