import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { threeWayPatch, tryResource } from '../../src/cli/resource-trial.ts'
import { objectChanges } from '../../src/diff/object-changes.ts'
import { ConfigMap, type KubeObject } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

describe('the merge patch of a client-side apply', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject, JsonObject]>([
    ['nothing', { a: 1 }, { a: 1 }, { a: 1, defaulted: 2 }, {}],
    ['what differs from the live object', { a: 1 }, { a: 1 }, { a: 2 }, { a: 1 }],
    ['what is new, deep down', { a: { b: 1 } }, { a: { b: 1, c: 2 } }, { a: { b: 1, d: 3 } }, { a: { c: 2 } }],
    [
      'null for what the file has no more',
      { a: 1, b: { c: 1 } },
      { b: {} },
      { a: 1, b: { c: 1, d: 2 } },
      { a: null, b: { c: null } },
    ],
    ['nothing for what is gone already', { a: 1 }, {}, {}, {}],
    ['lists as a whole', { l: [1, 2] }, { l: [2] }, { l: [1, 2] }, { l: [2] }],
  ])('has %s', (_, original, modified, live, patch) => {
    expect(threeWayPatch(original, modified, live)).toEqual(patch)
  })
})

describe('the dry run of a resource', () => {
  let cluster: TestCluster
  const signal = new AbortController().signal
  const map = (data: object, annotations?: object) =>
    ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default', annotations },
      data,
    }) as unknown as KubeObject
  const trial = (object: KubeObject) =>
    tryResource(cluster.client, { resource: ConfigMap, object, fieldManager: 'kubectl' }, signal)
  const changed = async (object: KubeObject) => {
    const { live, after } = await trial(object)
    return live === undefined ? 'new' : objectChanges(live, after).map(({ kind, path }) => [kind, path.at(-1)])
  }
  const field = (name: string) => ({ kind: 'field', name })

  beforeEach(async () => {
    cluster = await startCluster()
  })
  afterEach(() => cluster.stop())

  it('creates nothing', async () => {
    const { revision } = cluster.server.log
    expect(await changed(map({ a: '1' }))).toBe('new')
    expect(cluster.server.log.revision).toBe(revision)
  })

  it('removes fields that the file of a server-side apply lacks, and keeps those of others', async () => {
    const options = { fieldManager: 'kubectl', force: false }
    await cluster.client.apply(ConfigMap, map({ a: '1', b: '2' }), options, signal)
    await cluster.client.apply(ConfigMap, map({ other: '3' }), { ...options, fieldManager: 'someone' }, signal)
    expect(await changed(map({ a: '1', b: '2' }))).toEqual([])
    expect(await changed(map({ a: '2' }))).toEqual([
      ['change', field('a')],
      ['remove', field('b')],
    ])
  })

  it('removes fields that the file of a client-side apply lacks', async () => {
    const applied = map({ a: '1', b: '2' })
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) }
    await cluster.create(ConfigMap, map({ a: '1', b: '2', other: '3' }, annotations))
    expect(await changed(applied)).toEqual([])
    expect(await changed(map({ a: '1' }))).toEqual([['remove', field('b')]])
  })
})
