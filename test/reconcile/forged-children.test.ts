// Objects that only claim to be children: planted with labels, owner references and field managers that a tenant of
// another namespace can write. Whole reconciles over the model API server.
import { ApiObject } from 'cdk8s'
import { beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap, Secret } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { ownerReferenceTo } from '../../src/object/ownership.ts'
import {
  applySetId,
  managedByLabel,
  ownedByLabel,
  partOfAnnotation,
  partOfLabel,
  tokenAnnotation,
} from '../../src/synth/membership.ts'
import { at, describeRequest, failure, type ModelRequest } from '../model-api.ts'
import { Site, siteController, World } from './life.ts'
import { isWriteOf, settled, settledSite } from './sites.ts'
import { spreadController } from './spread.ts'

let world: World
beforeEach(() => {
  world = new World()
})

/** Metadata by which an object looks like a child of the site. */
const marksOf = (site: LiveObject) => ({
  labels: { [partOfLabel]: applySetId(site), [managedByLabel]: 'konverge', [ownedByLabel]: 'sites.example.dev' },
  annotations: { [partOfAnnotation]: applySetId(site), 'konverge.dev/apply-order': '3' },
})

/** Plants an object as kubectl apply --server-side --field-manager konverge/sites.example.dev does. */
async function plant(object: { kind: 'Secret' | 'ConfigMap'; metadata: object; [field: string]: unknown }) {
  const resource = object.kind === 'Secret' ? Secret : ConfigMap
  const body = { apiVersion: 'v1', ...object } as never
  await world.api.apply(
    resource,
    body,
    { fieldManager: 'konverge/sites.example.dev', force: true },
    new AbortController().signal,
  )
}

/** A controller that reports every child that its observe function gets. */
function watching(seen: string[]) {
  return siteController({
    observe: async ({ children }) => {
      for (const { kind, metadata } of children) seen.push(`${kind} ${metadata.namespace}/${metadata.name}`)
      return undefined
    },
  })
}

describe('an object planted in another namespace', () => {
  it.each([
    { title: 'labels, annotations and the field manager', more: () => ({}) },
    {
      title: 'the owner reference of the parent',
      more: (site: LiveObject) => ({ ownerReferences: [{ ...ownerReferenceTo(site) }] }),
    },
  ])('is no child although it has $title', async ({ more }) => {
    const site = world.addSite()
    await plant({
      kind: 'Secret',
      metadata: { name: 'a-login', namespace: 'attacker', ...marksOf(site), ...more(site) },
      stringData: { login: 'chosen by the attacker' },
    })
    const seen: string[] = []
    await world.live(watching(seen))
    world.api.edit(Site, 'default/a', { spec: { page: 'again' } })
    await world.clock.advance(60_000)
    expect(seen.filter((child) => child.includes('attacker'))).toEqual([])
    expect(seen).toContain('ConfigMap default/a-pages')
    expect(world.conditions()).toEqual(settled)
    expect(world.api.find(Secret, 'attacker/a-login')).toBeDefined()
  })

  it('neither delays the deletion of the parent nor is deleted with it', async () => {
    const site = world.addSite()
    await world.live()
    await plant({
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace: 'attacker', finalizers: ['attacker.dev/hold'], ...marksOf(site) },
    })
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(1_000)
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    world.api.collectGarbage()
    await world.clock.advance(60_000)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, 'attacker/x')?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('does not trigger the parent', async () => {
    const { world: settledWorld } = await settledSite(world)
    const site = settledWorld.site()
    if (site === undefined) throw new Error('no site')
    let reconciles = 0
    await world.live(siteController({ observe: async () => void reconciles++ }))
    const before = reconciles
    for (let round = 0; round < 5; round++) {
      await plant({ kind: 'ConfigMap', metadata: { name: `x${round}`, namespace: 'attacker', ...marksOf(site) } })
      await world.clock.advance(1_000)
    }
    expect(reconciles).toBe(before)
  })
})

describe('the reach of an inventory', () => {
  const namespaces = 'applyset.kubernetes.io/additional-namespaces'
  const kinds = 'applyset.kubernetes.io/contains-group-kinds'

  it('is not extended by an annotation that names thousands of namespaces or kinds', async () => {
    await settledSite(world)
    const asked: string[] = []
    world.api.before = (request) => {
      if (request.verb !== 'watch') asked.push(describeRequest(request))
    }
    const many = (prefix: string) => Array.from({ length: 20_000 }, (_, at) => `${prefix}${at}`).join(',')
    world.api.edit(Site, 'default/a', { metadata: { annotations: { [namespaces]: many('n') } } })
    await world.clock.advance(60_000)
    expect(asked).toEqual(['patch sites default/a'])
    asked.length = 0
    world.api.served = [...world.api.served]
    world.api.edit(Site, 'default/a', { metadata: { annotations: { [kinds]: many('Kind') } } })
    await world.clock.advance(60_000)
    expect(asked.length).toBeLessThan(150)
    expect(world.site()?.metadata.annotations).not.toHaveProperty([namespaces])
    expect(world.conditions()).toEqual(settled)
  })
})

describe('the name of a child in another namespace', () => {
  const spread = () => spreadController()

  it('is rejected and unchanged if it was planted before the parent existed', async () => {
    const site = world.addSite('a', { page: 'attacker' })
    await plant({
      kind: 'ConfigMap',
      metadata: { name: 'a-far', namespace: 'attacker', ...marksOf(site) },
      data: { a: 'theirs' },
    })
    const planted = world.api.find(ConfigMap, 'attacker/a-far')
    await world.live(spread())
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ConflictingOwner' })
    expect(world.api.find(ConfigMap, 'attacker/a-far')).toEqual(planted)
  })

  it('is rejected and unchanged if it is planted between the read and the creation', async () => {
    const site = world.addSite('a', { page: 'attacker' })
    let planted: LiveObject | undefined
    world.api.before = ({ verb, key }) => {
      if (verb !== 'apply' || key !== 'attacker/a-far' || planted !== undefined) return
      const metadata = { name: 'a-far', namespace: 'attacker', ...marksOf(site) }
      planted = world.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'theirs' } })
    }
    await world.live(spread())
    await world.clock.advance(60_000)
    expect(planted).toBeDefined()
    expect(world.api.find(ConfigMap, 'attacker/a-far')).toEqual(planted)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ConflictingOwner' })
  })

  it('belongs to the parent again after a crash between any two requests', async () => {
    for (let nth = 1; nth <= 12; nth++) {
      world = new World()
      world.addSite('a', { page: 'elsewhere' })
      let count = 0
      let isCut = false
      world.api.after = ({ verb }) => {
        if (verb === 'watch' || verb === 'list' || isCut) return
        if (++count === nth) {
          isCut = true
          throw new Error('the connection is gone')
        }
      }
      const first = await world.live(spread())
      await first.end()
      world.api.after = () => {}
      await world.live(spread(), { secretSeed: 2 })
      await world.clock.advance(60_000)
      expect(world.conditions(), `request ${nth}`).toEqual(settled)
      expect(world.api.find(ConfigMap, 'elsewhere/a-far'), `request ${nth}`).toBeDefined()
    }
  })

  it('is released when its parent no longer declares it, also outside of all caches', async () => {
    world.addSite('a', { page: 'elsewhere' })
    await world.live(spread(), { namespaces: ['default'] })
    expect(world.conditions()).toEqual(settled)
    world.api.edit(Site, 'default/a', { spec: { page: 'third' } })
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')).toBeUndefined()
    expect(world.api.find(ConfigMap, 'third/a-far')).toBeDefined()
    expect(world.conditions()).toEqual(settled)
  })

  it('stays a child while the API server cannot be asked for it', async () => {
    world.addSite('a', { page: 'elsewhere' })
    const first = await world.live(spread(), { namespaces: ['default'] })
    await first.drain()
    const recorded = at(world.site(), 'status', 'inventory')
    world.api.before = ({ verb, key }) => {
      if (verb === 'get' && key === 'elsewhere/a-far') throw failure('ServiceUnavailable', 'try again')
    }
    await world.live(spread(), { namespaces: ['default'], secretSeed: 2 })
    await world.clock.advance(60_000)
    expect(at(world.site(), 'status', 'inventory')).toEqual(recorded)
    expect(world.message('Degraded')).toContain('try again')
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
    expect(at(world.site(), 'status', 'inventory')).toEqual(recorded)
  })

  it('is not handed over by an annotation without the parent’s namespace, which means a parent in its own namespace', async () => {
    world.addSite('a', { page: 'elsewhere' })
    const metadata = { name: 'a-far', namespace: 'elsewhere', annotations: { 'konverge.dev/adopt': 'Site/a' } }
    world.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'theirs' } })
    await world.live(spread())
    await world.clock.advance(60_000)
    expect(world.message('Degraded')).toContain('konverge.dev/adopt: Site/default/a')
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')?.['data']).toEqual({ a: 'theirs' })
    world.addSite('a', { page: 'elsewhere' }, 'elsewhere')
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')?.metadata.ownerReferences).toMatchObject([
      { uid: world.site('elsewhere/a')?.metadata.uid },
    ])
  })

  it('is taken over when its user hands it over', async () => {
    world.addSite('a', { page: 'elsewhere' })
    const metadata = { name: 'a-far', namespace: 'elsewhere', annotations: { 'konverge.dev/adopt': 'Site/default/a' } }
    world.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'theirs' } })
    await world.live(spread())
    await world.clock.advance(60_000)
    expect(world.conditions()).toEqual(settled)
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')?.['data']).toEqual({ a: 'b' })
  })
})

describe('a recorded child in another namespace', () => {
  const far = 'elsewhere/a-far'

  /** Site `a` with its child `elsewhere/a-far`; the operator has stopped. */
  async function recordedChild(): Promise<{ readonly child: LiveObject; readonly recorded: unknown }> {
    world.addSite('a', { page: 'elsewhere' })
    const life = await world.live(spreadController())
    expect(world.conditions()).toEqual(settled)
    await life.end()
    const child = world.api.find(ConfigMap, far)
    if (child === undefined) throw new Error('no child')
    return { child, recorded: at(world.site(), 'status', 'inventory') }
  }

  async function deleteSite(): Promise<void> {
    world.api.remove(Site, 'default/a')
    for (let round = 0; round < 4; round++) {
      await world.clock.advance(20_000)
      world.api.collectGarbage()
    }
  }

  const edits = [
    { title: 'its part-of label is overwritten', edit: { labels: { [partOfLabel]: 'other' } } },
    {
      title: 'its part-of label and annotation are overwritten',
      edit: { labels: { [partOfLabel]: 'other' }, annotations: { [partOfAnnotation]: 'other' } },
    },
    { title: 'all its labels are removed', edit: { labels: null } },
    { title: 'its managed fields are cleared', edit: { labels: { [partOfLabel]: 'other' }, managedFields: [] } },
  ]

  it.each(edits)('is corrected, and not created again, when $title', async ({ edit }) => {
    const { child, recorded } = await recordedChild()
    await world.live(spreadController(), { secretSeed: 2 })
    const from = world.api.requests.length
    world.api.edit(ConfigMap, far, { metadata: edit })
    await world.clock.advance(1_000)
    const corrected = world.api.find(ConfigMap, far)
    expect(corrected?.metadata).toMatchObject({
      uid: child.metadata.uid,
      labels: child.metadata.labels ?? {},
      annotations: child.metadata.annotations ?? {},
    })
    const writes = world.api.requests.slice(from).filter(isWriteOf('configmaps'))
    expect(new Set(writes.map(describeRequest))).toEqual(new Set([`apply configmaps ${far}`]))
    expect(world.conditions()).toEqual(settled)
    expect(at(world.site(), 'status', 'inventory')).toEqual(recorded)
  })

  it.each(edits)('is deleted with its parent when $title while no operator runs', async ({ edit }) => {
    await recordedChild()
    world.api.edit(ConfigMap, far, { metadata: edit })
    await world.live(spreadController(), { secretSeed: 2 })
    await deleteSite()
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, far)).toBeUndefined()
    expect(world.events.filter(({ reason }) => reason === 'LeftAlone')).toEqual([])
  })

  it.each(edits)('is deleted with its parent when $title after the deletion began', async ({ edit }) => {
    const { child } = await recordedChild()
    world.api.remove(Site, 'default/a')
    world.api.edit(ConfigMap, far, { metadata: edit })
    await world.live(spreadController(), { secretSeed: 2 })
    await deleteSite()
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, far)).toBeUndefined()
    const deletes = world.api.requests.filter(({ verb, key }) => verb === 'delete' && key === far)
    expect(deletes.map(({ body }) => body)).toMatchObject([{ preconditions: { uid: child.metadata.uid } }])
  })

  it.each([
    { title: 'removed', token: null },
    { title: 'changed', token: 'guessed' },
  ])('is rejected when its token is $title, and an Event names it when its parent is deleted', async ({ token }) => {
    await recordedChild()
    world.api.edit(ConfigMap, far, { metadata: { annotations: { [tokenAnnotation]: token } } })
    const edited = world.api.find(ConfigMap, far)
    await world.live(spreadController(), { secretSeed: 2 })
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ConflictingOwner' })
    await deleteSite()
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, far)).toEqual(edited)
    const [event, ...more] = world.events.filter(({ reason }) => reason === 'LeftAlone')
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'Warning', action: 'Delete' })
    expect(event?.note).toMatch(/^ConfigMap elsewhere\/a-far stays: it is not a child of Site default\/a/)
    expect(event?.note).toContain(tokenAnnotation)
  })

  it('is not sent again at every event when the API server rejects it', async () => {
    await recordedChild()
    world.api.edit(ConfigMap, far, { data: { a: 'theirs' } })
    world.api.requests.length = 0
    const isApply = (request: ModelRequest) => describeRequest(request) === `apply configmaps ${far}`
    world.api.before = (request) => {
      if (isApply(request)) throw failure('Invalid', 'denied by a policy')
    }
    await world.live(spreadController(), { secretSeed: 2 })
    for (let look = 0; look < 10; look++) {
      world.api.edit(ConfigMap, far, { data: { a: `theirs ${look}` } })
      await world.clock.advance(100)
    }
    expect(world.api.requests.filter(isApply)).toHaveLength(1)
  })

  it('is deleted with its parent when a user makes another object its controller', async () => {
    await recordedChild()
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: 'elsewhere' } }
    const { uid } = world.api.put(ConfigMap, theirs).metadata
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid, controller: true }
    world.api.edit(ConfigMap, far, { metadata: { ownerReferences: [owner] } })
    await world.live(spreadController(), { secretSeed: 2 })
    await deleteSite()
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, far)).toBeUndefined()
    expect(world.events.filter(({ reason }) => reason === 'LeftAlone')).toEqual([])
  })

  it('leaves no Event when a user deleted it before its parent', async () => {
    await recordedChild()
    world.api.remove(ConfigMap, far)
    await world.live(spreadController(), { secretSeed: 2 })
    await deleteSite()
    expect(world.site()).toBeUndefined()
    expect(world.events.filter(({ reason }) => reason === 'LeftAlone')).toEqual([])
  })
})

describe('a controller whose children are of its own kind', () => {
  it('reconciles a child that it created', async () => {
    world.addSite('root')
    const reconciled = new Set<string>()
    await world.live(
      siteController({
        owns: [{ resource: Site, hasStatus: false }],
        observe: async ({ object }) => void reconciled.add(object.metadata.name),
        desired: (chart, { object: { metadata } }) => {
          if (metadata.name !== 'root') return
          new ApiObject(chart, 'leaf', {
            apiVersion: 'example.dev/v1',
            kind: 'Site',
            metadata: { name: 'leaf' },
            spec: { page: 'x' },
          })
        },
      }),
    )
    await world.clock.advance(1_000)
    expect([...reconciled].sort()).toEqual(['leaf', 'root'])
  })
})
