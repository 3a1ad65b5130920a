// Inventory: a newer operator finds what an older one created, changes nothing else, and a deletion reaches every
// namespace. Runs on every server.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Controller } from '../../../src/index.ts'
import { secretText } from '../../taint/secret-text.ts'
import { Hand } from '../hand.ts'
import {
  farNamespace,
  homeNamespace,
  installShelves,
  makeShelf,
  removeShelves,
  shelfObject,
  startShelves,
  versionOne,
  versionTwo,
} from '../shelves.ts'
import type { StartStoryServer, StoryOperator, StoryRequest, StoryServer } from '../story-server.ts'

const kinds = 'applyset.kubernetes.io/contains-group-kinds'
const manager = 'konverge/shelves.inventory.example.dev'
const namespaces = 'applyset.kubernetes.io/additional-namespaces'

export function describeInventory(start: StartStoryServer): void {
  let server: StoryServer
  let home: Hand
  let far: Hand
  let operator: StoryOperator | undefined

  beforeAll(async () => {
    server = await start()
    home = new Hand(server, homeNamespace)
    far = new Hand(server, farNamespace)
    await installShelves(server)
  })
  afterEach(async () => await end())
  afterAll(async () => {
    await removeShelves(server)
    await server.stop()
  })

  const end = async () => {
    await operator?.stop()
    operator = undefined
  }
  const find = (kind: string, name: string, namespace = homeNamespace) =>
    (namespace === homeNamespace ? home : far).find(kind, name)
  const exists = async (kind: string, name: string, namespace = homeNamespace) =>
    (await find(kind, name, namespace)) !== undefined
  const shelf = (name: string) => find('shelf', name)
  const until = (what: string, isSo: () => Promise<boolean>) => server.until({ what, everyMs: 200 }, isSo)
  const run = async (controller: Controller, userAgent: string) => {
    await end()
    operator = await startShelves(server, controller, userAgent)
  }
  const settledByVersionOne = async (name: string) => {
    await run(versionOne, 'shelves-one/1')
    await makeShelf(server, name)
  }
  const isSettledByVersionTwo = async (name: string) =>
    (await shelf(name))?.metadata.annotations?.[kinds] === 'ConfigMap,PersistentVolumeClaim,Service'

  describe('a newer operator', () => {
    it('prunes kinds that it no longer declares, in any namespace and at cluster scope, and nothing else', async () => {
      await settledByVersionOne('upgraded')
      expect((await shelf('upgraded'))?.metadata.annotations).toMatchObject({
        [kinds]: 'ConfigMap,PersistentVolumeClaim,Secret,Service,StorageClass.storage.k8s.io',
        [namespaces]: farNamespace,
      })
      await end()
      const login = await find('secret', 'upgraded-login')
      const { labels, annotations } = login?.metadata ?? {}
      const owner = await find('configmap', 'kube-root-ca.crt')
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid: owner?.metadata.uid }
      const secret = (name: string, more: object) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: homeNamespace, labels, annotations, ...more },
      })
      await home.apply(secret('copied-by-hand', {}))
      await far.apply(secret('copied-elsewhere', { namespace: farNamespace }))
      await home.apply(secret('owned-by-another', { ownerReferences: [{ ...reference, controller: true }] }))
      const untouched = async () =>
        await Promise.all([
          find('secret', 'upgraded-kept'),
          find('secret', 'copied-by-hand'),
          find('secret', 'copied-elsewhere', farNamespace),
          find('secret', 'owned-by-another'),
          find('service', 'upgraded'),
          find('configmap', 'upgraded-pages'),
        ])
      const before = await untouched()
      expect(before).not.toContain(undefined)

      await run(versionTwo, 'shelves-two/1')
      await until('the inventory to shrink', async () => await isSettledByVersionTwo('upgraded'))
      expect((await shelf('upgraded'))?.metadata.annotations).not.toHaveProperty([namespaces])
      expect(await exists('secret', 'upgraded-login')).toBe(false)
      expect(await exists('secret', 'upgraded-far', farNamespace)).toBe(false)
      expect(await exists('storageclass', 'upgraded-disk')).toBe(false)
      expect(await untouched()).toEqual(before)
    })

    it('does not request them again, also after a restart', async () => {
      await run(versionTwo, 'shelves-rest/1')
      await home.apply(shelfObject('witness'))
      await until('another shelf to be made', async () => await exists('service', 'witness'))
      const asked = (await server.requests())
        .filter(isReadOrWriteOf('shelves-rest/'))
        .map(({ verb, path }) => `${verb} ${path}`)
      expect(asked.filter((request) => request.includes('secrets') || request.includes('storageclasses'))).toEqual([])
      expect(asked.filter((request) => request.includes('upgraded'))).toEqual([])
    })
  })

  describe('an object planted elsewhere with all marks of a child', () => {
    it('is neither read, changed nor deleted, and blocks nothing', async () => {
      await settledByVersionOne('forged')
      const child = await find('secret', 'forged-far', farNamespace)
      const { labels, annotations } = child?.metadata ?? {}
      const metadata = { namespace: farNamespace, labels, annotations, finalizers: ['inventory.example.dev/hold'] }
      const secret = { apiVersion: 'v1', kind: 'Secret', stringData: { a: secretText('theirs') } }
      await far.apply({ ...secret, metadata: { ...metadata, name: 'forged-login' } }, manager)
      const planted = await find('secret', 'forged-login', farNamespace)
      expect(planted).toBeDefined()
      await run(versionTwo, 'shelves-two/1')
      await until('the inventory to shrink', async () => await isSettledByVersionTwo('forged'))
      expect(await exists('secret', 'forged-far', farNamespace)).toBe(false)
      await server.delete({ namespace: homeNamespace, kind: 'shelf', name: 'forged' })
      expect(await find('secret', 'forged-login', farNamespace)).toEqual(planted)
    })

    it('keeps its name: the parent reports the conflict and creates nothing', async () => {
      await settledByVersionOne('first')
      const child = await find('secret', 'first-far', farNamespace)
      const { annotations } = child?.metadata ?? {}
      const secret = { apiVersion: 'v1', kind: 'Secret', stringData: { a: secretText('theirs') } }
      const metadata = { name: 'second-far', namespace: farNamespace, annotations }
      await far.apply({ ...secret, metadata }, manager)
      const planted = await find('secret', 'second-far', farNamespace)
      await home.apply(shelfObject('second'))
      await until('the conflict', async () => {
        const { conditions = [] } = ((await shelf('second'))?.status ?? {}) as { conditions?: { reason: string }[] }
        return conditions.some(({ reason }) => reason === 'ConflictingOwner')
      })
      expect(await find('secret', 'second-far', farNamespace)).toEqual(planted)
    })
  })

  describe('a deletion', () => {
    it('deletes children everywhere, and keeps claims and retained children', async () => {
      await settledByVersionOne('deleted')
      await server.delete({ namespace: homeNamespace, kind: 'shelf', name: 'deleted' })
      expect(await exists('secret', 'deleted-far', farNamespace)).toBe(false)
      expect(await exists('storageclass', 'deleted-disk')).toBe(false)
      await until('the garbage collector', async () => !(await exists('secret', 'deleted-login')))
      expect(await exists('secret', 'deleted-kept')).toBe(true)
      expect((await find('pvc', 'deleted-data'))?.metadata.deletionTimestamp).toBeUndefined()
    })

    it('by a newer operator deletes what only the older one created, and names what it waits for', async () => {
      await settledByVersionOne('late')
      await end()
      await far.patch('secret', 'late-far', { metadata: { finalizers: ['inventory.example.dev/hold'] } })
      await home.delete('shelf', 'late')
      await run(versionTwo, 'shelves-two/1')
      await until('the reason why it waits', async () => {
        const { conditions = [] } = ((await shelf('late'))?.status ?? {}) as { conditions?: { message: string }[] }
        return conditions.some(({ message }) =>
          message.includes(`Secret ${farNamespace}/late-far: finalizer inventory.example.dev/hold`),
        )
      })
      expect(await exists('storageclass', 'late-disk')).toBe(false)
      await far.patch('secret', 'late-far', { metadata: { finalizers: null } })
      await until('the shelf to go', async () => !(await exists('shelf', 'late')))
      expect(await exists('secret', 'late-far', farNamespace)).toBe(false)
      expect(await exists('secret', 'late-kept')).toBe(true)
    })
  })
}

/** Excludes the requests that fill a cache: those name no object. */
const isReadOrWriteOf =
  (userAgent: string) =>
  ({ userAgent: agent, verb, path }: StoryRequest): boolean =>
    agent.startsWith(userAgent) && verb !== 'watch' && !path.includes('sendInitialEvents')
