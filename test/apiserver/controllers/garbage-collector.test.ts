import { beforeEach, describe, expect, it } from 'vitest'
import { ApiServer } from '../../../src/apiserver/api-server.ts'
import { ControllerHost } from '../../../src/apiserver/controllers/controller-host.ts'
import { GarbageCollector } from '../../../src/apiserver/controllers/garbage-collector.ts'
import { metadataText } from '../../../src/apiserver/metadata.ts'
import type { SystemClient } from '../../../src/apiserver/system-client.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'
import { toys } from '../toy-resource.ts'

let clock: SimClock
let client: SystemClient
let misplacedOwners: string[]

beforeEach(() => {
  clock = new SimClock()
  const server = new ApiServer({
    clock,
    random: seededRandom(1),
    resources: [toys, { ...toys, plural: 'shops', kind: 'Shop', shelf: 'shops', isNamespaced: false }],
    catalogue: [],
  })
  client = server.systemClient('test')
  misplacedOwners = []
  const collector = new GarbageCollector({ client, onMisplacedOwner: (_, { name }) => misplacedOwners.push(name) })
  new ControllerHost({ clock, log: server.log, controllers: [collector] }).start()
})

describe('the garbage collector', () => {
  it('deletes an object that loses its only owner, and its dependents', async () => {
    const top = create('top')
    const middle = create('middle', [top])
    create('bottom', [middle])
    client.delete(named('top'))
    await settle()
    expect(names()).toEqual([])
  })

  it('keeps an object with another owner, and removes the reference to the lost one', async () => {
    const lost = create('lost')
    const kept = create('kept')
    create('child', [lost, kept])
    client.delete(named('lost'))
    await settle()
    expect(ownersNamed('child')).toEqual(['kept'])
  })

  it('deletes an object whose owner has the same name but another uid', async () => {
    const owner = create('owner')
    create('child', [{ ...owner, metadata: { name: 'owner', uid: 'another' } }])
    await settle()
    expect(names()).toEqual(['owner'])
  })

  it('makes foreground deletion of an owner wait only for blocking dependents', async () => {
    const owner = create('owner')
    create('blocking', [owner], { blockOwnerDeletion: true }, ['hold.example/on'])
    create('free', [owner], {}, ['hold.example/on'])
    client.delete(named('owner'), { propagationPolicy: 'Foreground' })
    await settle()
    expect(names()).toEqual(['blocking', 'free', 'owner'])
    release('blocking')
    await settle()
    expect(names()).toEqual(['free'])
  })

  it('propagates foreground deletion before anything waits for it', async () => {
    const top = create('top')
    const middle = create('middle', [top], {}, ['hold.example/on'])
    create('bottom', [middle])
    await settle()
    client.delete(named('top'), { propagationPolicy: 'Foreground' })
    await settle()
    expect(names()).toEqual(['middle'])
  })

  it('keeps dependents when the delete orphans them', async () => {
    const owner = create('owner')
    create('child', [owner])
    client.delete(named('owner'), { propagationPolicy: 'Orphan' })
    await settle()
    expect(names()).toEqual(['child'])
    expect(ownersNamed('child')).toEqual([])
  })

  it('completes a foreground deletion of a cycle', async () => {
    const first = create('first')
    const second = create('second', [first], { blockOwnerDeletion: true })
    client.update(named('first'), (live) => ({
      ...live,
      metadata: {
        ...(live['metadata'] as JsonObject),
        ownerReferences: [reference(second, { blockOwnerDeletion: true })],
      },
    }))
    client.delete(named('first'), { propagationPolicy: 'Foreground' })
    await settle()
    expect(names()).toEqual([])
  })

  it('keeps a cluster-scoped object with a namespaced owner, and reports it', async () => {
    const owner = create('owner')
    const shop = client.resource('play.example/v1', 'Shop')
    if (shop === undefined) throw new Error('no shops')
    client.create(shop, '', { metadata: { name: 'shop', ownerReferences: [reference(owner)] } })
    client.delete(named('owner'))
    await settle()
    expect(client.list(shop)).toHaveLength(1)
    expect(misplacedOwners).toEqual(['owner'])
  })

  it('reports once an owner in another namespace, and deletes an object without other owners', async () => {
    const owner = create('owner')
    const ownerReferences = [reference(owner)]
    client.create(toys, 'chest', { metadata: { name: 'child', namespace: 'chest', ownerReferences } })
    await settle()
    expect(misplacedOwners).toEqual(['owner'])
    expect(client.list(toys, 'chest')).toEqual([])
  })
})

function settle(): Promise<void> {
  return clock.advance(1_000)
}

function create(
  name: string,
  owners: readonly JsonObject[] = [],
  more: JsonObject = {},
  finalizers: readonly string[] = [],
): JsonObject {
  const ownerReferences = owners.map((owner) => reference(owner, more))
  return client.create(toys, 'box', { metadata: { name, namespace: 'box', ownerReferences, finalizers } })
}

function reference(owner: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'play.example/v1',
    kind: 'Toy',
    name: metadataText(owner, 'name'),
    uid: metadataText(owner, 'uid'),
    ...more,
  }
}

function release(name: string): void {
  client.update(named(name), (live) => ({ ...live, metadata: { ...(live['metadata'] as JsonObject), finalizers: [] } }))
}

function named(name: string) {
  return { resource: toys, namespace: 'box', name }
}

function names(): string[] {
  return client.list(toys, 'box').map((object) => metadataText(object, 'name'))
}

function ownersNamed(name: string): unknown[] {
  const metadata = client.get(named(name))?.['metadata'] as { ownerReferences?: { name: string }[] }
  return (metadata.ownerReferences ?? []).map((owner) => owner.name)
}
