// Children that a controller finds again, in whole reconciles over the model API server. They have kinds that a newer
// version no longer declares, other namespaces, no namespace, and objects that only look like children.
import { ApiObject } from 'cdk8s'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  Deployment,
  Namespace,
  PersistentVolumeClaim,
  Secret,
  Service,
  StorageClass,
} from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { ownerReferenceTo } from '../../src/object/ownership.ts'
import { describeRequest, failure } from '../model-api.ts'
import { live } from '../objects.ts'
import { Site, siteController, World } from './life.ts'
import { settled, withPages } from './sites.ts'
import { spreadController, versionOne, versionTwo } from './spread.ts'

const kinds = 'applyset.kubernetes.io/contains-group-kinds'
const namespaces = 'applyset.kubernetes.io/additional-namespaces'
const annotationOf = (world: World, key: string) => world.site()?.metadata.annotations?.[key]
const namesOf = (world: World) =>
  world.api
    .all(Secret)
    .map(({ metadata: { name } }) => name)
    .sort()

let world: World
beforeEach(() => {
  world = new World()
})

/** Deletes the site and runs until idle. */
async function remove(): Promise<void> {
  world.api.remove(Site, 'default/a')
  for (let round = 0; round < 4; round++) {
    await world.clock.advance(20_000)
    world.api.collectGarbage()
  }
  await world.clock.advance(20_000)
}

describe('the inventory of a resource', () => {
  it('contains a namespace before a child is created there', async () => {
    world.addSite('a', { page: 'elsewhere' })
    const seen: unknown[] = []
    world.api.before = ({ verb, key }) => {
      if (verb === 'apply' && key === 'elsewhere/a-far') seen.push(annotationOf(world, namespaces))
    }
    await world.live(spreadController())
    expect(seen).toEqual(['elsewhere'])
    expect(annotationOf(world, kinds)).toBe('ConfigMap,StorageClass.storage.k8s.io')
  })

  it('keeps a namespace until the last child there is gone', async () => {
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spreadController())
    world.api.edit(ConfigMap, 'elsewhere/a-far', { metadata: { finalizers: ['theirs.dev/hold'] } })
    world.api.edit(Site, 'default/a', { spec: { page: 'third' } })
    await world.clock.advance(60_000)
    expect(annotationOf(world, namespaces)).toBe('elsewhere,third')
    world.api.edit(ConfigMap, 'elsewhere/a-far', { metadata: { finalizers: null } })
    await world.clock.advance(0)
    expect(annotationOf(world, namespaces)).toBe('third')
  })

  it('has no namespaces when all children are in the parent’s namespace', async () => {
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spreadController())
    world.api.edit(Site, 'default/a', { spec: { page: 'default' } })
    await world.clock.advance(60_000)
    expect(world.site()?.metadata.annotations).not.toHaveProperty([namespaces])
  })

  it.each([
    { title: 'in another namespace', remove: (api: World['api']) => api.remove(ConfigMap, 'elsewhere/a-far') },
    { title: 'in no namespace', remove: (api: World['api']) => api.remove(StorageClass, 'a-disk') },
  ])(
    'identifies the parent of a child when $title, so that its deletion triggers the parent',
    async ({ remove: take }) => {
      world.addSite('a', { page: 'elsewhere' })
      await world.live(spreadController())
      const before = world.api.all().length
      take(world.api)
      expect(world.api.all()).toHaveLength(before - 1)
      await world.clock.advance(0)
      expect(world.api.all()).toHaveLength(before)
    },
  )

  it('is corrected after an edit by hand', async () => {
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spreadController())
    const edited = { [namespaces]: ' elsewhere,no/such,..,UPPER, ', [kinds]: 'No.such,%%%, ConfigMap' }
    world.api.edit(Site, 'default/a', { metadata: { annotations: edited } })
    await world.clock.advance(1_000)
    expect(annotationOf(world, namespaces)).toBe('elsewhere')
    expect(annotationOf(world, kinds)).toBe('ConfigMap,StorageClass.storage.k8s.io')
    expect(world.conditions()).toEqual(settled)
  })

  it('from another tool is not changed', async () => {
    world.addSite()
    world.api.edit(Site, 'default/a', {
      metadata: { annotations: { 'applyset.kubernetes.io/tooling': 'kubectl/v1.36' } },
    })
    await world.live()
    expect(world.conditions()).toMatchObject({ Stalled: 'True/ForeignInventory' })
    expect(world.message('Ready')).toContain('kubectl/v1.36')
    expect(world.api.writes).toEqual(['patch sites/status default/a'])
    world.api.edit(Site, 'default/a', { metadata: { annotations: null } })
    await world.clock.advance(0)
    expect(world.conditions()).toEqual(settled)
  })
})

describe('an operator that no longer makes a kind', () => {
  /** Creates a resource with version 1 and hands it to version 2. Returns the requests of the latter. */
  async function upgraded(prepare: () => void = () => {}) {
    world.addSite()
    const life = await world.live(versionOne())
    expect(world.conditions()).toEqual(settled)
    await life.drain()
    prepare()
    const asked: string[] = []
    world.api.before = (request) => {
      if (request.verb !== 'watch') asked.push(describeRequest(request))
    }
    await world.live(versionTwo())
    await world.clock.advance(1_000)
    return asked
  }

  it('finds its objects, in all namespaces, deletes them by uid, and keeps retained ones', async () => {
    await upgraded()
    expect(namesOf(world)).toEqual(['a-kept'])
    const deletes = world.api.requests.filter(({ verb }) => verb === 'delete')
    expect(deletes.map(({ key }) => key).sort()).toEqual(['default/a-login', 'elsewhere/a-far'])
    for (const { body } of deletes) expect(body).toMatchObject({ preconditions: { uid: expect.stringMatching(/^a-/) } })
    expect(world.conditions()).toEqual(settled)
  })

  it('forgets the kind when no object of it is left, and is idle', async () => {
    const asked = await upgraded()
    expect(annotationOf(world, kinds)).toBe('ConfigMap,Service')
    expect(world.site()?.metadata.annotations).not.toHaveProperty([namespaces])
    asked.length = 0
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(3_600_000)
    expect(asked).toEqual([])
  })

  it.each([
    {
      title: 'a copy of a child',
      namespace: 'default',
      owner: undefined,
    },
    { title: 'a copy of a child in another namespace', namespace: 'elsewhere', owner: undefined },
    { title: 'a child that another object owns', namespace: 'default', owner: 'Deployment' },
  ])('leaves $title unchanged', async ({ namespace, owner }) => {
    let theirs: LiveObject | undefined
    await upgraded(() => {
      const child = world.api.find(Secret, 'default/a-login')
      const { labels = {}, annotations = {} } = child?.metadata ?? {}
      const deployment = live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } })
      const ownerReferences =
        owner === undefined ? [] : [{ ...ownerReferenceTo(world.api.put(Deployment, deployment)) }]
      const metadata = { name: 'theirs', namespace, labels, annotations, ownerReferences }
      theirs = world.api.put(Secret, { apiVersion: 'v1', kind: 'Secret', metadata })
    })
    expect(world.api.find(Secret, `${namespace}/theirs`)).toEqual(theirs)
    expect(namesOf(world)).toEqual(['a-kept', 'theirs'])
    expect(annotationOf(world, kinds)).toBe('ConfigMap,Service')
  })

  it('leaves a child with another owner unchanged', async () => {
    await upgraded(() => {
      const owners = world.api.find(Secret, 'default/a-login')?.metadata.ownerReferences ?? []
      const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p-1' }
      world.api.edit(Secret, 'default/a-login', {
        metadata: { ownerReferences: [...owners.map((reference) => ({ ...reference })), other] },
      })
    })
    expect(namesOf(world)).toEqual(['a-kept', 'a-login'])
  })

  it('waits for a child with a finalizer, reports for how long, and keeps the kind until then', async () => {
    await upgraded(() => void world.api.edit(Secret, 'default/a-login', { metadata: { finalizers: ['x.dev/y'] } }))
    await world.clock.advance(250_000)
    expect(world.message('Ready')).toMatch(/^waiting for Secret default\/a-login: finalizer x\.dev\/y, [2-4] m$/)
    expect(annotationOf(world, kinds)).toBe('ConfigMap,Secret,Service')
    world.api.edit(Secret, 'default/a-login', { metadata: { finalizers: null } })
    await world.clock.advance(300_000)
    expect(annotationOf(world, kinds)).toBe('ConfigMap,Service')
    expect(world.conditions()).toEqual(settled)
  })

  it('reports the missing right and continues with the others', async () => {
    world.addSite()
    const life = await world.live(versionOne())
    await life.drain()
    const refused = 'user "o" may not list secrets in namespace default; bind a Role'
    world.api.before = ({ verb, plural }) => {
      if (verb === 'list' && plural === 'secrets') throw failure('Forbidden', `list Secret in default: ${refused}`)
    }
    world.api.remove(ConfigMap, 'default/a-pages')
    await world.live(versionTwo())
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, 'default/a-pages')).toBeDefined()
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Forbidden' })
    expect(world.message('Degraded')).toBe(
      `cannot look for Secret objects that are no longer declared: list Secret in default: ${refused}; or name the kind in 'retired' of the controller, and install again`,
    )
    expect(annotationOf(world, kinds)).toContain('Secret')
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(namesOf(world)).toEqual(['a-kept'])
    expect(world.conditions()).toEqual(settled)
  })

  it('does not delete a resource while it cannot search for such objects', async () => {
    world.addSite()
    const life = await world.live(versionOne())
    await life.drain()
    world.api.before = ({ verb, plural }) => {
      if (verb === 'list' && plural === 'secrets') throw failure('Forbidden', 'may not list secrets')
    }
    await world.live(versionTwo())
    await remove()
    expect(world.site()?.metadata.finalizers).toContain('konverge.dev/konverge')
    world.api.before = () => {}
    await world.clock.advance(300_000)
    world.api.collectGarbage()
    await world.clock.advance(16_000)
    expect(world.site()).toBeUndefined()
    expect(namesOf(world)).not.toContain('a-far')
  })

  it('does not treat an outage of discovery as an answer', async () => {
    world.addSite()
    const life = await world.live(versionOne())
    await life.drain()
    world.api.before = ({ verb }) => {
      if (verb === 'read') throw failure('ServiceUnavailable', 'discovery is down')
    }
    await world.live(versionTwo())
    await world.clock.advance(60_000)
    expect(annotationOf(world, kinds)).toContain('Secret')
    expect(world.message('Degraded')).toContain('discovery is down')
  })

  it('treats a kind that is no longer served as gone', async () => {
    world.api.served = [ConfigMap, Service]
    const asked = await upgraded()
    expect(annotationOf(world, kinds)).toBe('ConfigMap,Service')
    expect(asked.filter((request) => request.startsWith('list'))).toEqual([])
  })
})

describe('a child whose labels were removed by hand', () => {
  const partOf = 'applyset.kubernetes.io/part-of'
  const stripped = {
    metadata: { labels: { 'konverge.dev/managed-by': null, 'konverge.dev/owned-by': null, [partOf]: null } },
  }
  const unlabel = () => world.api.edit(ConfigMap, 'default/a-near', stripped)

  it('gets them back', async () => {
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spreadController())
    const { uid, labels } = world.api.find(ConfigMap, 'default/a-near')?.metadata ?? {}
    unlabel()
    await world.clock.advance(1_000)
    expect(world.api.find(ConfigMap, 'default/a-near')?.metadata).toMatchObject({ uid, labels })
    expect(world.conditions()).toEqual(settled)
  })

  it.each([
    { title: 'in another namespace', kind: ConfigMap, key: 'elsewhere/a-far', isRecorded: true },
    { title: 'in no namespace', kind: StorageClass, key: 'a-disk', isRecorded: true },
    { title: 'that is retained', kind: ConfigMap, key: 'default/a-pages', isRecorded: false },
  ])('and $title gets them back at once; only a recorded child gets them back from another set', async (row) => {
    const { kind, key, isRecorded } = row
    world.addSite('a', { page: 'elsewhere' })
    await world.live(isRecorded ? spreadController() : withPages({ isRetained: true }))
    const { uid, labels } = world.api.find(kind, key)?.metadata ?? {}
    world.api.edit(kind, key, stripped)
    await world.clock.advance(0)
    expect(world.api.find(kind, key)?.metadata).toMatchObject({ uid, labels })
    expect(world.conditions()).toEqual(settled)
    world.api.edit(kind, key, { metadata: { labels: { [partOf]: 'another-set' } } })
    await world.clock.advance(30_000)
    if (isRecorded) {
      expect(world.api.find(kind, key)?.metadata).toMatchObject({ uid, labels })
      expect(world.conditions()).toEqual(settled)
    } else expect(world.conditions()).toMatchObject({ Degraded: 'True/ConflictingOwner' })
  })

  it('and that has no owner reference is deleted with its parent', async () => {
    world.addSite('a', { page: 'elsewhere' })
    const life = await world.live(spreadController())
    await life.drain()
    world.api.edit(ConfigMap, 'elsewhere/a-far', stripped)
    world.api.edit(StorageClass, 'a-disk', stripped)
    await world.live(spreadController())
    await remove()
    expect(world.api.all()).toEqual([])
  })

  it('and that is no longer declared is deleted with its parent, by its owner reference', async () => {
    world.addSite('a', { page: 'elsewhere' })
    const life = await world.live(spreadController())
    await life.drain()
    unlabel()
    await world.live(spreadController({ isNearLeftOut: true }))
    expect(world.api.find(ConfigMap, 'default/a-near')).toBeDefined()
    await remove()
    expect(world.api.all()).toEqual([])
  })
})

describe('a never-deleted kind', () => {
  const keeping = (spec: { readonly isLeftOut: boolean }) =>
    siteController({
      owns: [PersistentVolumeClaim, { resource: Namespace, hasStatus: false }],
      desired: (chart) => {
        if (spec.isLeftOut) return
        new ApiObject(chart, 'data', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } })
        new ApiObject(chart, 'space', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'space' } })
      },
    })
  const kept = () =>
    world.api
      .all()
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .sort()

  it('is neither pruned nor deleted with its parent', async () => {
    world.addSite()
    const life = await world.live(keeping({ isLeftOut: false }))
    expect(world.api.find(PersistentVolumeClaim, 'default/data')?.metadata.ownerReferences).toBeUndefined()
    await life.drain()
    await world.live(keeping({ isLeftOut: true }))
    await world.clock.advance(60_000)
    await remove()
    expect(kept()).toEqual(['Namespace space', 'PersistentVolumeClaim data'])
  })

  it('is adopted by a new parent of the same name: at once in its namespace, elsewhere after a handover', async () => {
    world.addSite()
    await world.live(keeping({ isLeftOut: false }))
    await remove()
    const uid = world.api.find(PersistentVolumeClaim, 'default/data')?.metadata.uid
    world.addSite()
    await world.clock.advance(30_000)
    expect(world.api.find(PersistentVolumeClaim, 'default/data')?.metadata.uid).toBe(uid)
    expect(world.message('Degraded')).toContain('Namespace space exists and is not controlled by Site default/a')
    expect(world.message('Degraded')).not.toContain('PersistentVolumeClaim')
    world.api.edit(Namespace, 'space', { metadata: { annotations: { 'konverge.dev/adopt': 'Site/default/a' } } })
    await world.clock.advance(300_000)
    expect(world.conditions()['Degraded']).toBe('False/AsExpected')
  })
})
