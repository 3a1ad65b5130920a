import { beforeEach, describe, expect, it } from 'vitest'
import { ObjectIndex, type Term } from '../../src/apiserver/object-index.ts'
import { ObjectLog } from '../../src/apiserver/object-log.ts'
import type { JsonObject } from '../../src/base/json.ts'

let log: ObjectLog
let index: ObjectIndex

beforeEach(() => {
  log = new ObjectLog()
  index = new ObjectIndex(log)
})

describe('an index of objects', () => {
  it('contains objects from before the first query, and follows later writes', () => {
    write('b', { labels: { app: 'web' } })
    expect(names({ label: 'app', value: 'web', namespace: 'shop' })).toEqual(['b'])
    write('a', { labels: { app: 'web', tier: 'front' } })
    expect(names({ label: 'app', value: 'web', namespace: 'shop' })).toEqual(['a', 'b'])
    expect(names({ label: 'tier', value: 'front', namespace: 'shop' })).toEqual(['a'])
    write('b', { labels: { app: 'api' } })
    remove('a')
    expect(names({ label: 'app', value: 'web', namespace: 'shop' })).toEqual([])
    expect(names({ label: 'app', value: 'api', namespace: 'shop' })).toEqual(['b'])
    expect(names({ label: 'app', value: 'api', namespace: 'other' })).toEqual([])
  })

  it('finds objects by their controlling owner only', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'u1' }
    write('held', { ownerReferences: [{ ...owner, controller: true }] })
    write('owned', { ownerReferences: [owner] })
    expect(names({ controller: 'u1' })).toEqual(['held'])
  })

  it.each<{ selector: JsonObject; asksFor: readonly [string, string] | undefined }>([
    { selector: { app: 'web', tier: 'front' }, asksFor: ['app', 'web'] },
    { selector: { matchLabels: { app: 'web' } }, asksFor: ['app', 'web'] },
    { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, asksFor: undefined },
    { selector: {}, asksFor: undefined },
  ])('finds an object by label $asksFor for the selector $selector', ({ selector, asksFor }) => {
    write('chooser', {}, { selector })
    expect(names({ asksFor, namespace: 'shop' })).toEqual(['chooser'])
    expect(names({ asksFor: ['app', 'other'], namespace: 'shop' })).toEqual([])
  })

  it('contains allocated addresses and ports until the last Service with them is deleted', () => {
    const shelf = 'services'
    const place = { shelf, namespace: 'shop' }
    const has = (...values: readonly string[]) => values.map((taken) => index.has(shelf, { taken }))
    write('web', {}, { clusterIPs: ['10.96.3.4'], ports: [{ port: 80, nodePort: 30_080 }, { port: 81 }] }, place)
    write(
      'mail',
      {},
      { clusterIPs: ['None'], ports: [{ port: 80, nodePort: 30_080 }], healthCheckNodePort: 31_000 },
      place,
    )
    expect(has('10.96.3.4', '30080', '31000', 'None', '0', '80')).toEqual([true, true, true, false, false, false])
    write('web', {}, { clusterIPs: ['10.96.3.5'], ports: [] }, place)
    expect(has('10.96.3.4', '10.96.3.5', '30080')).toEqual([false, true, true])
    remove('mail', place)
    expect(has('10.96.3.5', '30080', '31000')).toEqual([true, false, false])
  })

  it('finds volumes by the claim that they are reserved for', () => {
    const shelf = 'persistentvolumes'
    write('free', {}, {}, { shelf, namespace: '' })
    write('kept', {}, { claimRef: { namespace: 'shop', name: 'data' } }, { shelf, namespace: '' })
    const found = (claim: string) => index.places(shelf, { claim }).map(({ name }) => name)
    expect([found(''), found('shop/data')]).toEqual([['free'], ['kept']])
  })
})

function names(term: Term): readonly string[] {
  return index.places('pods', term).map(({ name }) => name)
}

function write(
  name: string,
  metadata: JsonObject,
  spec: JsonObject = {},
  { shelf, namespace } = { shelf: 'pods', namespace: 'shop' },
): void {
  const place = { shelf, namespace, name }
  const kind = log.get(place) === undefined ? 'created' : 'changed'
  log.commit(place, kind, () => ({ metadata: { name, namespace, ...metadata }, spec }))
}

function remove(name: string, { shelf, namespace } = { shelf: 'pods', namespace: 'shop' }): void {
  const place = { shelf, namespace, name }
  log.commit(place, 'deleted', () => log.get(place)?.object ?? {})
}
