// Changes of immutable fields: they are reported or, if the policy allows it, the object is created again, once,
// despite failures in between (I3, I5).
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { holdOffMs } from '../../src/apply/convergence.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { recreateOnChange, retain } from '../../src/synth/field-policies.ts'
import { at, failure, type ModelRequest } from '../model-api.ts'
import { Site, type SiteSpec, siteController, World } from './life.ts'
import { pages, settled } from './sites.ts'

type Policy = (made: ApiObject) => void

/** A site whose pages are immutable, with the API server's message. */
const immutablePages = (policy: Policy = () => {}) =>
  siteController({
    desired: (chart, { object }) => {
      const { page }: SiteSpec = object.spec
      policy(
        new ApiObject(chart, 'pages', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a-pages' },
          data: { index: page },
        }),
      )
    },
  })

function refuseChanges(world: World): (request: ModelRequest) => void {
  return ({ verb, plural, body }) => {
    const live = world.api.find(ConfigMap, pages)
    if (verb !== 'apply' || plural !== 'configmaps' || live === undefined) return
    if (at(body as never, 'data', 'index') === at(live, 'data', 'index')) return
    const causes = [{ reason: 'FieldValueForbidden', message: 'field is immutable', field: 'data' }]
    throw new KubeError({ code: 'Invalid', message: 'data: Forbidden: field is immutable', causes })
  }
}

/** A settled site whose spec has another page. */
async function changedSite(policy?: Policy, also: (request: ModelRequest) => void = () => {}) {
  const world = new World()
  const before = world.addSite()
  const refuse = refuseChanges(world)
  world.api.before = (request) => {
    refuse(request)
    also(request)
  }
  const life = await world.live(immutablePages(policy))
  const uid = world.api.find(ConfigMap, pages)?.metadata.uid
  world.api.requests.length = 0
  world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
  await world.clock.advance(60_000)
  return { world, life, uid, before }
}
const deletes = ({ api }: World) => api.requests.filter(({ verb }) => verb === 'delete')
const allowed: Policy = (made) => recreateOnChange(made)

describe('a change of an immutable field', () => {
  it('is reported with field and policy, without a deletion or a retry', async () => {
    const { world, uid } = await changedSite()
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ImmutableField', Stalled: 'True/ImmutableField' })
    expect(world.message('Degraded')).toMatch(/data\.index cannot change .* recreateOnChange\(\) on construct pages/)
    expect(world.api.find(ConfigMap, pages)?.metadata.uid).toBe(uid)
    expect(world.api.writes).toEqual([`apply configmaps ${pages}`, 'patch sites/status default/a'])
  })

  it('recreates the object if the policy allows it, with one Event', async () => {
    const { world, uid } = await changedSite(allowed)
    const live = world.api.find(ConfigMap, pages)
    expect(at(live, 'data')).toEqual({ index: 'new' })
    expect(live?.metadata.uid).not.toBe(uid)
    expect(deletes(world).map(({ body }) => body)).toMatchObject([
      { preconditions: { uid }, propagationPolicy: 'Background' },
    ])
    expect(world.events.map(({ reason }) => reason)).toEqual(['ChildRecreated'])
    expect(world.conditions()).toEqual(settled)
  })

  it('orphans the dependents of the object if the policy says so', async () => {
    const { world } = await changedSite((made) => recreateOnChange(made, { dependents: 'orphan' }))
    expect(deletes(world).map(({ body }) => body)).toMatchObject([{ propagationPolicy: 'Orphan' }])
  })

  it('deletes nothing if the new object would be rejected', async () => {
    const { world, uid } = await changedSite(allowed, ({ verb }) => {
      if (verb === 'create') throw failure('Invalid', 'data.index: Invalid value')
    })
    expect(world.api.find(ConfigMap, pages)?.metadata.uid).toBe(uid)
    expect(deletes(world)).toEqual([])
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Invalid' })
  })

  it('deletes no retained object', async () => {
    const { world, uid } = await changedSite((made) => {
      recreateOnChange(made)
      retain(made)
    })
    expect(world.api.find(ConfigMap, pages)?.metadata.uid).toBe(uid)
    expect(world.conditions()).toMatchObject({ Stalled: 'True/ImmutableField' })
  })

  it('does not recreate it repeatedly when another writer sets the field', async () => {
    const { world } = await changedSite(allowed)
    // As an admission webhook would: the created object never equals its declaration.
    world.api.after = ({ verb, plural }) => {
      if (verb === 'apply' && plural === 'configmaps') world.api.edit(ConfigMap, pages, { data: { index: 'webhook' } })
    }
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { spec: { page: 'newer' } })
    await world.clock.advance(holdOffMs - 60_000)
    expect(deletes(world)).toHaveLength(1)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/RecreatedInVain' })
    expect(world.message('Degraded')).toContain('still not as declared in data;')
  })

  it('waits until the object is gone before it creates the new one', async () => {
    const world = new World()
    world.addSite()
    world.api.before = refuseChanges(world)
    await world.live(immutablePages(allowed))
    world.api.edit(ConfigMap, pages, { metadata: { finalizers: ['example.dev/slow'] } })
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(60_000)
    expect(deletes(world)).toHaveLength(1)
    expect(world.conditions()).toMatchObject({ Ready: 'False/Waiting' })
    expect(world.message('Ready')).toContain('example.dev/slow')
    world.api.edit(ConfigMap, pages, { metadata: { finalizers: [] } })
    await world.clock.advance(60_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'new' })
  })

  it('completes, whatever request the process dies after', async () => {
    for (let cut = 1; cut <= 4; cut++) {
      const world = new World()
      world.addSite()
      const refuse = refuseChanges(world)
      world.api.before = refuse
      const first = await world.live(immutablePages(allowed))
      let seen = 0
      const die = () => {
        seen += 1
        if (seen === cut) throw failure('Unreachable', 'cut off')
        if (seen > cut) throw failure('Unreachable', 'dead')
      }
      world.api.after = die
      world.api.before = (request) => {
        if (seen >= cut) die()
        refuse(request)
      }
      world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
      await world.clock.advance(1)
      await first.end()
      world.api.after = () => {}
      world.api.before = refuse
      await world.live(immutablePages(allowed))
      await world.clock.advance(60_000)
      expect(at(world.api.find(ConfigMap, pages), 'data'), `cut after request ${cut}`).toEqual({ index: 'new' })
      expect(world.conditions(), `cut after request ${cut}`).toEqual(settled)
      expect(deletes(world), `cut after request ${cut}`).toHaveLength(1)
    }
  })
})
