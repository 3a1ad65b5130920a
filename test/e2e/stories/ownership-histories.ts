// Field ownership after any history of an object: fields that are no longer declared are removed, and undeclared ones
// stay. No unmanaged object is taken without consent (I5, I7). Runs on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secretText } from '../../taint/secret-text.ts'
import { Bundles, type Condition, installBundles } from '../bundles.ts'
import type { Hand } from '../hand.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

interface DeploymentSpec {
  readonly template: { readonly spec: { readonly containers: readonly { readonly name: string }[] } }
}

export function describeOwnershipHistories(start: StartStoryServer): void {
  let server: StoryServer
  let space: Bundles
  let hand: Hand
  let operator: StoryOperator

  beforeAll(async () => {
    server = await start()
    space = new Bundles(server, 'histories')
    hand = space.hand
    await installBundles(server)
    await space.createNamespace()
    operator = await space.startOperator()
  })
  afterAll(async () => {
    await operator.stop()
    await server.stop()
  })

  const manager = 'konverge/bundles.test.konverge.dev'
  const data = async (name: string, kind = 'configmap') => (await hand.find(kind, name))?.data
  const managersOf = async (kind: string, name: string) =>
    (await hand.find(kind, name))?.metadata.managedFields?.map(({ manager }) => manager)
  const writesAbout = async (name: string) =>
    (await server.operatorWrites(space.namespace)).filter((request) => request.name === name)

  describe('a field that is no longer declared goes, whatever the history of the object', () => {
    /** Declares a and b on an object that has a, b and c; then only a. */
    async function dropB(name: string) {
      await space.want(name, { object: configMap(name, { a: '1', b: '1' }) })
      await space.condition(name, 'Ready', 'Settled')
      expect(await data(name)).toEqual({ a: '1', b: '1', c: 'theirs' })
      await space.want(name, { object: configMap(name, { a: '1' }) })
      await space.until('b to go', async () => (await data(name))?.['b'] === undefined)
      expect(await data(name)).toEqual({ a: '1', c: 'theirs' })
      await space.condition(name, 'Ready', 'Settled')
      const at = await writesAbout(name)
      await hand.annotate('bundle', name, { look: 'again' })
      await space.condition(name, 'Ready', 'Settled')
      expect(await writesAbout(name)).toHaveLength(at.length)
    }
    const consent = (name: string) => ({ 'konverge.dev/adopt': `Bundle/${name}` })

    it('created by us, with a field of another manager', async () => {
      await space.want('ours', { object: configMap('ours', { a: '1' }) })
      await space.condition('ours', 'Ready', 'Settled')
      await hand.patch('configmap', 'ours', { data: { c: 'theirs' } })
      await dropB('ours')
    })

    it('created by kubectl client-side, and handed over', async () => {
      await hand.createByApply(configMap('client-side', { a: '0', b: '1', c: 'theirs' }, consent('client-side')))
      await dropB('client-side')
      expect(await space.notes('client-side', 'ChildAdopted')).toHaveLength(1)
    })

    it('created by another manager’s server-side apply, and handed over', async () => {
      const object = configMap('other', { a: '0', b: '1', c: 'theirs' }, consent('other'))
      await hand.apply(object, 'other')
      await dropB('other')
      expect(await managersOf('configmap', 'other')).toContain('other')
    })

    it('created by us, when its managedFields were lost', async () => {
      await space.want('lost', { object: configMap('lost', { a: '1', b: '1' }) })
      await space.condition('lost', 'Ready', 'Settled')
      await hand.patch('configmap', 'lost', { data: { c: 'theirs' }, metadata: { managedFields: [{}] } })
      await space.until(
        'our record to be back',
        async () => (await managersOf('configmap', 'lost'))?.includes(manager) === true,
      )
      expect(await managersOf('configmap', 'lost')).not.toContain('before-first-apply')
      await dropB('lost')
    })

    it('created by us, when an earlier version applied it last', async () => {
      await space.want('aged', { object: configMap('aged', { a: '1', b: '1' }) })
      await space.condition('aged', 'Ready', 'Settled')
      const records = (await hand.find('configmap', 'aged'))?.metadata.managedFields ?? []
      const earlier = records.map((record) =>
        record.manager === manager ? { ...record, manager: 'konverge' } : record,
      )
      await hand.patch('configmap', 'aged', { data: { c: 'theirs' }, metadata: { managedFields: earlier } })
      await space.until('the record to be ours', async () => {
        const found = await managersOf('configmap', 'aged')
        return found?.includes(manager) === true && !found.includes('konverge')
      })
      await dropB('aged')
    })

    it('is a container of a Deployment that kubectl created', async () => {
      const made = deployment('web', { replicas: 1 }, [
        container('app'),
        container('side', { env: [{ name: 'X', value: '1' }] }),
      ])
      const annotated = { ...made, metadata: { name: 'web', annotations: consent('web') } }
      await hand.createByApply(annotated)
      await space.want('web', { object: made })
      await space.condition('web', 'Ready', 'Settled')
      await space.want('web', { object: deployment('web', { replicas: 1 }, [container('app')]) })
      const names = async () => {
        const spec = (await hand.find('deployment', 'web'))?.spec as DeploymentSpec | undefined
        return spec?.template.spec.containers.map(({ name }) => name).join(' ')
      }
      await space.until('the second container to go', async () => (await names()) === 'app')
      await space.condition('web', 'Ready', 'Settled')
    })
  })

  it('a Deployment leaves the defaults of the strategy that it no longer has', async () => {
    const strategyOf = async () =>
      (await hand.find('deployment', 'switch'))?.spec as { readonly strategy: unknown } | undefined
    await space.want('switch', { object: deployment('switch', { replicas: 0 }, [container('app')]) })
    await space.condition('switch', 'Ready', 'Settled')
    expect(await strategyOf()).toMatchObject({ strategy: { type: 'RollingUpdate' } })
    const recreating = { replicas: 0, strategy: { type: 'Recreate' } }
    await space.want('switch', { object: deployment('switch', recreating, [container('app')]) })
    await space.until('the strategy to change', async () => {
      return JSON.stringify((await strategyOf())?.strategy) === '{"type":"Recreate"}'
    })
    await space.condition('switch', 'Ready', 'Settled')
    expect(await managersOf('deployment', 'switch')).not.toContain('before-first-apply')
    const before = await writesAbout('switch')
    await hand.annotate('bundle', 'switch', { look: 'again' })
    await space.condition('switch', 'Ready', 'Settled')
    expect(await writesAbout('switch')).toHaveLength(before.length)
  })

  describe('a foreign object with a child’s name', () => {
    it('is not changed without consent, and the condition says how to give it', async () => {
      await hand.create(configMap('foreign', { a: 'theirs' }))
      const before = await hand.find('configmap', 'foreign')
      await space.want('foreign', { object: configMap('foreign', { a: 'ours' }) })
      const message = await space.condition('foreign', 'Degraded', 'ConflictingOwner')
      expect(message).toContain('konverge.dev/adopt: Bundle/foreign')
      expect(await hand.find('configmap', 'foreign')).toEqual(before)
      await hand.annotate('configmap', 'foreign', { 'konverge.dev/adopt': 'Bundle/foreign' })
      await space.condition('foreign', 'Ready', 'Settled')
      expect(await data('foreign')).toEqual({ a: 'ours' })
    })
  })

  describe('an object that several resources own together', () => {
    const part = (entries: Readonly<Record<string, string>>) => ({
      object: configMap('together', entries),
      coOwn: true,
    })
    const ownerNames = async () =>
      (await hand.find('configmap', 'together'))?.metadata.ownerReferences?.map(({ name }) => name)

    it('has the fields of all of them, and stays idle', async () => {
      await Promise.all(['x', 'y', 'z'].map((name) => space.want(`part-${name}`, part({ [name]: '1', same: '1' }))))
      for (const name of ['x', 'y', 'z']) await space.condition(`part-${name}`, 'Ready', 'Settled')
      expect(await data('together')).toEqual({ x: '1', y: '1', z: '1', same: '1' })
      expect((await ownerNames())?.toSorted()).toEqual(['part-x', 'part-y', 'part-z'])
      const before = await writesAbout('together')
      await hand.annotate('bundle', 'part-x', { look: 'again' })
      await space.condition('part-x', 'Ready', 'Settled')
      expect(await writesAbout('together')).toHaveLength(before.length)
    })

    it('keeps a field for its first owner, and names that owner to the second one', async () => {
      await space.want('part-y', part({ y: '2', x: 'other' }))
      const message = await space.condition('part-y', 'Degraded', 'FieldConflict')
      expect(message).toContain('data.x otherwise than Bundle part-x')
      expect(await data('together')).toEqual({ x: '1', y: '2', z: '1', same: '1' })
      await space.want('part-y', part({ y: '2' }))
      await space.condition('part-y', 'Ready', 'Settled')
      expect(await data('together')).toEqual({ x: '1', y: '2', z: '1', same: '1' })
    })

    it('gets the new value of a field when all its owners declare it', async () => {
      await space.want('part-x', part({ x: '1', same: '2' }))
      await space.want('part-z', part({ z: '1', same: '2' }))
      await space.until('the new value', async () => (await data('together'))?.['same'] === '2')
      for (const name of ['x', 'z']) await space.condition(`part-${name}`, 'Ready', 'Settled')
      expect(await data('together')).toEqual({ x: '1', y: '2', z: '1', same: '2' })
    })

    it('loses the part of an owner that leaves or is deleted, and is deleted with the last one', async () => {
      await space.want('part-x')
      await space.until('the part of x to go', async () => (await data('together'))?.['x'] === undefined)
      expect(await data('together')).toEqual({ y: '2', z: '1', same: '2' })
      await hand.delete('bundle', 'part-z')
      await space.until('the part of z to go', async () => (await data('together'))?.['z'] === undefined)
      expect(await data('together')).toEqual({ y: '2' })
      expect(await ownerNames()).toEqual(['part-y'])
      await hand.delete('bundle', 'part-y')
      await space.until('the object to go', async () => (await data('together')) === undefined)
    })
  })

  describe('a child name that two parents declare at the same moment', () => {
    it('has one owner, keeps its values, and the other parent names the owner', async () => {
      const pairs = Array.from({ length: 20 }, (_, index) => [`left-${index}`, `right-${index}`] as const)
      const secretFor = (name: string, owner: string) => ({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { owner } },
      })
      const wants = pairs.flatMap((pair, index) =>
        pair.map((owner) => space.want(owner, { object: secretFor(`pair-${index}`, owner) })),
      )
      await Promise.all(wants)
      for (const [index, pair] of pairs.entries()) {
        await space.until(
          `the owner of pair-${index}`,
          async () => (await hand.find('secret', `pair-${index}`)) !== undefined,
        )
        const made = await hand.find('secret', `pair-${index}`)
        const owner = Buffer.from(made?.data?.['owner'] ?? '', 'base64').toString()
        expect(made?.metadata.ownerReferences, 'a single owner').toMatchObject([{ name: owner }])
        await space.condition(owner, 'Ready', 'Settled')
        const other = pair.find((name) => name !== owner) ?? ''
        expect(await space.condition(other, 'Degraded', 'ConflictingOwner')).toContain(`controlled by Bundle ${owner}`)
        expect((await hand.find('secret', `pair-${index}`))?.metadata.resourceVersion).toBe(
          made?.metadata.resourceVersion,
        )
      }
    })
  })

  describe('a child that the API server rejects', () => {
    it('has its fields named in conditions, Events and logs, without values', async () => {
      const password = secretText('rejected')
      const child = {
        ...{ apiVersion: 'test.konverge.dev/v1', kind: 'Pruned', metadata: { name: 'rejected' } },
        spec: { password, modes: [{ name: 'a', note: `password=${password}` }] },
      }
      await space.want('rejected', { object: child })
      const message = await space.condition('rejected', 'Degraded', 'Invalid')
      expect(message).toContain('spec.password: Invalid value: "[redacted]"')
      const events = await hand.list('events')
      expect(JSON.stringify([message, events, operator.lines])).not.toContain(password)
    })
  })

  describe('a declared field that another manager sets', () => {
    it('is reverted, reported once with child, manager and field, and without a value', async () => {
      const ours = secretText('ours')
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'taken' }, stringData: { login: ours } }
      await space.want('taken', { object: secret })
      await space.condition('taken', 'Ready', 'Settled')
      const theirs = Buffer.from(secretText('theirs')).toString('base64')
      await hand.patch('secret', 'taken', { data: { login: theirs, more: theirs } }, { manager: 'meddler' })
      await space.until(
        'the field to be ours again',
        async () => (await data('taken', 'secret'))?.['login'] === Buffer.from(ours).toString('base64'),
      )
      expect((await data('taken', 'secret'))?.['more']).toBe(theirs)
      const [note, ...more] = await space.notes('taken', 'FieldsTakenBack')
      expect(more).toEqual([])
      expect(note).toContain(`Secret ${space.namespace}/taken: took back data.login from "meddler"`)
      expect(note).not.toContain(theirs)
    })

    it('repeatedly ends in a condition that names both managers', async () => {
      await space.want('fought', { object: configMap('fought', { a: 'ours' }) })
      await space.condition('fought', 'Ready', 'Settled')
      let message = ''
      // The other manager writes again on every poll.
      await space.until('the fight to be told', async () => {
        await hand.patch('configmap', 'fought', { data: { a: 'theirs' } }, { manager: 'meddler' })
        const status = (await hand.find('bundle', 'fought'))?.status as { conditions?: readonly Condition[] } // The status of a Bundle.
        message =
          status.conditions?.find(({ type, reason }) => type === 'Degraded' && reason === 'NotConverging')?.message ??
          ''
        return message !== ''
      })
      expect(message).toMatch(/by konverge\/bundles\.test\.konverge\.dev .* at data by meddler/)
    })
  })

  it('settles an object that one controller owns and another contributes to, with the fields of both', async () => {
    await space.want('signed', { object: configMap('signed', { a: '1' }) })
    const banner = { apiVersion: 'test.konverge.dev/v1', kind: 'Banner', metadata: { name: 'signed' } }
    await hand.apply({ ...banner, spec: { text: 'sale' } })
    const both = { a: '1', banner: 'sale' }
    await space.until('both fields', async () => JSON.stringify(await data('signed')) === JSON.stringify(both))
    await space.condition('signed', 'Ready', 'Settled')
    await hand.annotate('bundle', 'signed', { look: 'again' })
    await hand.annotate('banner', 'signed', { look: 'again' })
    await server.pass(2_000)
    const writes = (await writesAbout('signed')).filter(({ resource }) => resource === 'configmaps')
    await server.pass(5_000)
    const after = (await writesAbout('signed')).filter(({ resource }) => resource === 'configmaps')
    expect(after).toHaveLength(writes.length)
    expect(await data('signed')).toEqual(both)
    const managers = await managersOf('configmap', 'signed')
    expect(managers?.sort()).toEqual(['konverge/banners.test.konverge.dev+contributions', manager])
  })

  describe('a field policy', () => {
    const replicas = async (name: string) => (await hand.find('deployment', name))?.spec?.['replicas']

    it('leaves a shared field to a scaler, also one that was ours before', async () => {
      await space.want('scaled', { object: deployment('scaled', { replicas: 3 }, [container('app')]) })
      await space.condition('scaled', 'Ready', 'Settled')
      await space.want('scaled', {
        object: deployment('scaled', { replicas: 1, minReadySeconds: 1 }, [container('app')]),
        shared: ['spec.replicas'],
      })
      await space.until(
        'the change beside it',
        async () => (await hand.find('deployment', 'scaled'))?.spec?.['minReadySeconds'] === 1,
      )
      expect(await replicas('scaled')).toBe(3)
      await hand.scale('deployment', 'scaled', 2)
      await space.want('scaled', {
        object: deployment('scaled', { replicas: 1, minReadySeconds: 2 }, [container('app')]),
        shared: ['spec.replicas'],
      })
      await space.until(
        'the next change beside it',
        async () => (await hand.find('deployment', 'scaled'))?.spec?.['minReadySeconds'] === 2,
      )
      expect(await replicas('scaled')).toBe(2)
      // Our manager owns no record of the field that conflicts with another manager's apply.
      const theirs = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'scaled' }, spec: { replicas: 1 } }
      await hand.scale('deployment', 'scaled', 1)
      await hand.apply(theirs, 'scaler')
    })

    it('sets an initial-only field once, and keeps later values', async () => {
      const wish = (a: string, first: string) => ({
        object: configMap('first', { a, first }),
        initialOnly: ['data.first'],
      })
      await space.want('first', wish('1', 'ours'))
      await space.condition('first', 'Ready', 'Settled')
      expect(await data('first')).toEqual({ a: '1', first: 'ours' })
      await space.want('first', wish('2', 'other'))
      await space.until('the change beside it', async () => (await data('first'))?.['a'] === '2')
      expect(await data('first')).toEqual({ a: '2', first: 'ours' })
      // No manager owns the field, so any manager may apply it without force.
      await hand.apply(configMap('first', { first: 'theirs' }), 'user')
      await space.want('first', wish('3', 'another'))
      await space.until('the next change beside it', async () => (await data('first'))?.['a'] === '3')
      expect(await data('first')).toEqual({ a: '3', first: 'theirs' })
      const before = await writesAbout('first')
      await operator.stop()
      operator = await space.startOperator()
      await space.turns(operator, 'first', 1)
      expect(await writesAbout('first')).toHaveLength(before.length)
    })

    it.each(['delete', 'orphan'] as const)('recreates a StatefulSet that cannot change: %s', async (recreate) => {
      const name = `anew-${recreate}`
      const set = (podManagementPolicy: string) => {
        const { spec, ...rest } = deployment(name, { replicas: 1 }, [container('app')])
        return { ...rest, kind: 'StatefulSet', spec: { ...spec, serviceName: name, podManagementPolicy } }
      }
      await space.want(name, { object: set('OrderedReady') })
      await space.condition(name, 'Ready', 'Settled')
      const before = await hand.find('statefulset', name)
      const pod = await hand.find('pod', `${name}-0`)
      await space.want(name, { object: set('Parallel') })
      const message = await space.condition(name, 'Degraded', 'ImmutableField')
      expect(message).toContain('spec.podManagementPolicy cannot change')
      expect((await hand.find('statefulset', name))?.metadata.uid).toBe(before?.metadata.uid)

      await space.want(name, { object: set('Parallel'), recreate })
      await space.condition(name, 'Ready', 'Settled')
      const after = await hand.find('statefulset', name)
      expect(after?.spec?.['podManagementPolicy']).toBe('Parallel')
      expect(after?.metadata.uid).not.toBe(before?.metadata.uid)
      const isSamePod = (await hand.find('pod', `${name}-0`))?.metadata.uid === pod?.metadata.uid
      expect(isSamePod).toBe(recreate === 'orphan')
      const [note] = await space.notes(name, 'ChildRecreated')
      expect(note).toContain('spec.podManagementPolicy cannot change')
    })

    it('sets a field on a claim that a StatefulSet created, and leaves it when it is no longer declared', async () => {
      const claim = (labels: object) => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'made', labels },
      })
      await hand.create({
        ...claim({ theirs: 'yes' }),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      })
      await space.want('claims', { object: claim({ a: '1', b: '1' }), contribute: true })
      await space.condition('claims', 'Ready', 'Settled')
      await space.want('claims', { object: claim({ a: '2' }), contribute: true })
      await space.until('the change', async () => (await hand.find('pvc', 'made'))?.metadata.labels?.['a'] === '2')
      const { labels, ownerReferences } = (await hand.find('pvc', 'made'))?.metadata ?? {}
      expect(labels).toEqual({ a: '2', b: '1', theirs: 'yes' })
      expect(ownerReferences).toBeUndefined()
      await space.want('claims')
      await space.condition('claims', 'Ready', 'Settled')
      expect((await hand.find('pvc', 'made'))?.metadata.labels).toEqual(labels)
    })
  })
}

const configMap = (name: string, data: object, annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, annotations },
  data,
})
const deployment = (name: string, spec: object, containers: readonly object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...spec,
  },
})
const container = (name: string, more: object = {}) => ({ name, image: 'nginx:1', ...more })
