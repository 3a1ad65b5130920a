// Remote children in a namespace without rights of the operator. A child that could not be read again is never
// recorded, and an unreadable recorded child delays nothing else. Whole reconciles over the model API server.
import { beforeEach, describe, expect, it } from 'vitest'
import type { KubeErrorCode } from '../../src/kube/kube-errors.ts'
import { ConfigMap, StorageClass } from '../../src/object/built-in.ts'
import { at, describeRequest, failure, type ModelRequest } from '../model-api.ts'
import { Site, World } from './life.ts'
import { settled } from './sites.ts'
import { spreadController } from './spread.ts'

const served = { namespaces: ['default', 'elsewhere'] }
const closed = 'closed/a-far'
const isClosed = ({ key, verb }: ModelRequest) => key.startsWith('closed/') && verb !== 'watch' && verb !== 'list'
const refusal = ({ verb, plural }: ModelRequest) =>
  failure('Forbidden', `${verb} ${plural}: user "o" may not ${verb} ${plural} in namespace closed; bind a Role`)

let world: World
beforeEach(() => {
  world = new World()
})

const recorded = () =>
  ((at(world.site(), 'status', 'inventory') ?? []) as readonly { readonly namespace?: string; readonly name: string }[])
    .map(({ namespace, name }) => `${namespace ?? ''}/${name}`)
    .join(' ')
const leftAlone = () => world.events.filter(({ reason }) => reason === 'LeftAlone').map(({ note }) => note)
const declare = (page: string) => void world.api.edit(Site, 'default/a', { spec: { page } })
const abandon = () =>
  void world.api.edit(Site, 'default/a', { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } })
/** Removes the operator's rights in the namespace `closed`. */
function close(): void {
  world.api.before = (request) => {
    if (isClosed(request)) throw refusal(request)
  }
}

/** A settled site whose child is in `elsewhere`. */
async function settledElsewhere() {
  world.addSite('a', { page: 'elsewhere' })
  close()
  const life = await world.live(spreadController(), served)
  expect(world.conditions()).toEqual(settled)
  return life
}

/** The site's children outside of its namespace: the garbage collector deletes the others. */
const remote = () =>
  world.api
    .all()
    .flatMap(({ metadata: { namespace = '', name } }) => (namespace === 'default' ? [] : `${namespace}/${name}`))
/** Runs until idle. */
async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await world.clock.advance(60_000)
    world.api.collectGarbage()
  }
}
/** Deletes the site and runs until idle. */
async function remove(): Promise<void> {
  world.api.remove(Site, 'default/a')
  await settle()
}

describe('a child in a namespace without rights of the operator', () => {
  it('is forgotten when the spec is corrected: drift is corrected and the resource can be deleted', async () => {
    await settledElsewhere()
    declare('closed')
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/Forbidden' })
    expect(recorded()).toBe('elsewhere/a-far /a-disk')
    declare('elsewhere')
    await world.clock.advance(1_000)
    expect(world.conditions()).toEqual(settled)
    world.api.edit(ConfigMap, 'elsewhere/a-far', { data: { a: 'drifted' } })
    await world.clock.advance(1_000)
    expect(at(world.api.find(ConfigMap, 'elsewhere/a-far'), 'data', 'a')).toBe('b')
    await remove()
    expect(world.api.all()).toEqual([])
    expect(leftAlone()).toEqual([])
  })

  it('does not delay the deletion of its parent', async () => {
    await settledElsewhere()
    declare('closed')
    await world.clock.advance(60_000)
    await remove()
    expect(world.api.all()).toEqual([])
  })

  it('is not recorded, and its dependents wait until the right is granted', async () => {
    world.addSite('a', { page: 'closed' })
    close()
    await world.live(spreadController(), served)
    await world.clock.advance(60_000)
    expect(world.message('Degraded')).toBe(
      'ConfigMap closed/a-far is not created, because it cannot be read: get configmaps: user "o" may not get configmaps in namespace closed; bind a Role',
    )
    expect(world.api.find(ConfigMap, 'default/a-near')).toBeDefined()
    expect(world.api.find(StorageClass, 'a-disk')).toBeUndefined()
    expect(recorded()).toBe('/a-disk')
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
    expect(recorded()).toBe('closed/a-far /a-disk')
  })

  it('costs one read per attempt, and no write', async () => {
    await settledElsewhere()
    declare('closed')
    await world.clock.advance(600_000)
    const from = world.api.requests.length
    await world.clock.advance(3_600_000)
    const asked = world.api.requests.slice(from).map(describeRequest)
    expect(new Set(asked)).toEqual(new Set([`get configmaps ${closed}`]))
    expect(asked.length).toBeLessThan(40)
  })

  const codes: readonly KubeErrorCode[] = [
    ...(['BadRequest', 'Forbidden', 'Invalid', 'NamespaceTerminating', 'NotFound', 'Unauthorized'] as const),
    ...(['ServerError', 'ServiceUnavailable', 'Timeout', 'TooManyRequests', 'Unreachable'] as const),
  ]
  it.each(codes.flatMap((code) => [false, true].map((isCreated) => ({ code, isCreated }))))(
    'leaves nothing behind when its creation is answered $code (created: $isCreated) and the spec is corrected',
    async ({ code, isCreated }) => {
      await settledElsewhere()
      const answer = ({ verb, key }: ModelRequest) => {
        if (verb === 'apply' && key === closed) throw failure(code, 'no')
      }
      world.api.before = isCreated ? () => {} : answer
      world.api.after = isCreated ? answer : () => {}
      declare('closed')
      await world.clock.advance(0)
      expect(world.api.find(ConfigMap, closed) !== undefined).toBe(isCreated)
      expect(recorded()).toContain('closed/a-far')
      declare('elsewhere')
      await world.clock.advance(300_000)
      expect(world.conditions()).toEqual(settled)
      expect(world.api.find(ConfigMap, closed)).toBeUndefined()
      expect(recorded()).toBe('elsewhere/a-far /a-disk')
    },
  )

  it('stays recorded when an earlier creation of it may have succeeded', async () => {
    await settledElsewhere()
    world.api.before = () => {}
    world.api.after = ({ verb, key }) => {
      if (verb !== 'apply' || key !== closed) return
      close()
      throw failure('Unreachable', 'the connection is gone')
    }
    declare('closed')
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, closed)).toBeDefined()
    expect(recorded()).toBe('closed/a-far /a-disk')
    declare('elsewhere')
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/Forbidden' })
    expect(recorded()).toBe('closed/a-far elsewhere/a-far /a-disk')
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
    expect(world.api.find(ConfigMap, closed)).toBeUndefined()
    expect(recorded()).toBe('elsewhere/a-far /a-disk')
  })
})

describe('a recorded child that the operator may not read', () => {
  /**
   * The operator recorded `closed/a-far`, lost its rights there, and crashed at the creation; another process works.
   */
  async function afterCrash({ isCreated = false } = {}) {
    const first = await settledElsewhere()
    let isDead = false
    world.api.before = (request) => {
      if (isDead) throw failure('Unreachable', 'the process is dead')
      if (!isClosed(request) || request.verb !== 'apply') return
      isDead = true
      if (!isCreated) throw refusal(request)
    }
    declare('closed')
    await world.clock.advance(0)
    await first.end()
    expect(world.api.find(ConfigMap, closed) !== undefined).toBe(isCreated)
    expect(recorded()).toBe('closed/a-far elsewhere/a-far /a-disk')
    close()
    await world.live(spreadController(), { ...served, secretSeed: 2 })
  }

  it('is not applied while it is declared, keeps its entry, and keeps no child elsewhere', async () => {
    await afterCrash({ isCreated: true })
    const recordOfIt = () =>
      (at(world.site(), 'status', 'inventory') as readonly { readonly namespace?: string }[]).find(
        ({ namespace }) => namespace === 'closed',
      )
    const before = recordOfIt()
    await world.clock.advance(60_000)
    expect(recordOfIt()).toEqual(before)
    expect(world.api.find(ConfigMap, 'elsewhere/a-far')).toBeUndefined()
    expect(recorded()).toBe('closed/a-far /a-disk')
    abandon()
    await world.clock.advance(60_000)
    expect(recordOfIt()).toEqual(before)
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
    expect(recorded()).toBe('closed/a-far /a-disk')
  })

  it('delays nothing else, and a condition names it and the remedy', async () => {
    await afterCrash()
    declare('elsewhere')
    await world.clock.advance(60_000)
    world.api.edit(ConfigMap, 'elsewhere/a-far', { data: { a: 'drifted' } })
    world.api.remove(StorageClass, 'a-disk')
    await world.clock.advance(60_000)
    expect(at(world.api.find(ConfigMap, 'elsewhere/a-far'), 'data', 'a')).toBe('b')
    expect(world.api.find(StorageClass, 'a-disk')).toBeDefined()
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Forbidden' })
    expect(world.message('Degraded')).toBe(
      'ConfigMap closed/a-far is recorded in status.inventory and cannot be read: get configmaps: user "o" may not get configmaps in namespace closed; bind a Role; or abandon it: delete it by hand, and set the annotation konverge.dev/abandon-external: "true" on the resource',
    )
    expect(recorded()).toBe('closed/a-far elsewhere/a-far /a-disk')
  })

  it.each([{ isCreated: false }, { isCreated: true }])(
    'is searched and pruned once the right is granted ($isCreated)',
    async ({ isCreated }) => {
      await afterCrash({ isCreated })
      declare('elsewhere')
      await world.clock.advance(60_000)
      world.api.before = () => {}
      await world.clock.advance(300_000)
      expect(world.conditions()).toEqual(settled)
      expect(world.api.find(ConfigMap, closed)).toBeUndefined()
      expect(recorded()).toBe('elsewhere/a-far /a-disk')
      expect(leftAlone()).toEqual([])
    },
  )

  it('is released by the annotation, and an Event names it', async () => {
    await afterCrash({ isCreated: true })
    declare('elsewhere')
    await world.clock.advance(60_000)
    abandon()
    await world.clock.advance(1_000)
    expect(world.conditions()).toEqual(settled)
    expect(recorded()).toBe('elsewhere/a-far /a-disk')
    expect(world.api.find(ConfigMap, closed)).toBeDefined()
    expect(leftAlone()).toEqual([
      'ConfigMap closed/a-far stays if it exists: the operator may not read it, and the annotation konverge.dev/abandon-external abandons it; delete it by hand',
    ])
  })

  it('keeps its deleted parent until the right is granted; the other children are deleted', async () => {
    await afterCrash({ isCreated: true })
    await remove()
    expect(world.site()).toBeDefined()
    expect(remote()).toEqual([closed])
    expect(world.message('Degraded')).toContain('ConfigMap closed/a-far is recorded')
    world.api.before = () => {}
    await settle()
    expect(world.api.all()).toEqual([])
  })

  it('is released with its deleted parent by the annotation, and an Event names it', async () => {
    await afterCrash({ isCreated: true })
    await remove()
    abandon()
    await settle()
    expect(world.api.all()).toEqual([world.api.find(ConfigMap, closed)])
    expect(leftAlone()).toEqual([expect.stringContaining('ConfigMap closed/a-far stays if it exists')])
  })

  it.each(['ServiceUnavailable', 'Timeout', 'Unauthorized'] as const)(
    'is not released by the annotation when the response is %s',
    async (code) => {
      await afterCrash({ isCreated: true })
      declare('elsewhere')
      abandon()
      world.api.before = (request) => {
        if (isClosed(request)) throw failure(code, 'try again')
      }
      await world.clock.advance(60_000)
      await remove()
      expect(world.site()).toBeDefined()
      expect(recorded()).toContain('closed/a-far')
      expect(leftAlone()).toEqual([])
      world.api.before = () => {}
      await settle()
      expect(world.api.all()).toEqual([])
    },
  )

  it('is deleted and not abandoned if it can be read', async () => {
    await afterCrash({ isCreated: true })
    world.api.before = () => {}
    abandon()
    await remove()
    expect(world.api.all()).toEqual([])
    expect(world.api.requests.map(describeRequest)).toContain(`delete configmaps ${closed}`)
  })
})
