import { describe, expect, it } from 'vitest'
import { Freshness, type Witness } from '../../src/cache/freshness.ts'
import { compareVersions } from '../../src/cache/resource-version.ts'

/** A witness that has seen the versions that the test sets. */
function witness() {
  const seen = { version: '5', byNamespace: new Map<string, string>(), deletes: new Set<string>() }
  const port: Witness = {
    hasSeen: (version, namespace = '') =>
      compareVersions(version, seen.byNamespace.get(namespace) ?? seen.version) !== 'newer',
    hasSeenDeleteOf: ({ uid }) => seen.deletes.has(uid),
  }
  return { seen, port }
}

describe('Freshness', () => {
  it('holds without writes', () => {
    expect(new Freshness().isFresh('owner')).toBe(true)
  })

  it('returns when the write has been seen, for its owner only', () => {
    const freshness = new Freshness()
    const { seen, port } = witness()
    freshness.wroteAt('owner', port, { resourceVersion: '7' })
    expect([freshness.isFresh('owner'), freshness.isFresh('other')]).toEqual([false, true])
    seen.version = '7'
    expect(freshness.isFresh('owner')).toBe(true)
  })

  it('waits for the latest of several writes, recorded in any order', () => {
    const freshness = new Freshness()
    const { seen, port } = witness()
    for (const resourceVersion of ['7', '10', '9']) freshness.wroteAt('owner', port, { resourceVersion })
    seen.version = '9'
    expect(freshness.isFresh('owner')).toBe(false)
    seen.version = '10'
    expect(freshness.isFresh('owner')).toBe(true)
  })

  it('waits for every resource and every namespace', () => {
    const freshness = new Freshness()
    const [pods, services] = [witness(), witness()]
    freshness.wroteAt('owner', pods.port, { namespace: 'a', resourceVersion: '7' })
    freshness.wroteAt('owner', pods.port, { namespace: 'b', resourceVersion: '6' })
    freshness.wroteAt('owner', services.port, { resourceVersion: '8' })
    pods.seen.byNamespace.set('a', '7')
    services.seen.version = '8'
    expect(freshness.isFresh('owner')).toBe(false)
    pods.seen.byNamespace.set('b', '6')
    expect(freshness.isFresh('owner')).toBe(true)
  })

  it('waits for deletions', () => {
    const freshness = new Freshness()
    const { seen, port } = witness()
    freshness.deletedAt('owner', port, { name: 'child', uid: 'child-1' })
    expect(freshness.isFresh('owner')).toBe(false)
    seen.deletes.add('child-1')
    expect(freshness.isFresh('owner')).toBe(true)
  })

  it('forgets an owner that is gone', () => {
    const freshness = new Freshness()
    freshness.wroteAt('owner', witness().port, { resourceVersion: '7' })
    freshness.forget('owner')
    expect(freshness.isFresh('owner')).toBe(true)
  })
})
