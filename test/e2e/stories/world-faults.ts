// Destructive acts of users and other programs. They remove labels, delete children during a write, delete the CRD, and
// create a resource again while the operator is down. Runs on every server that the story does not share.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type StoreObject, Stores } from '../stores.ts'
import type { MortalOperator, StartStoryServer, StoryServer } from '../story-server.ts'

const image = 'valkey/valkey:8.0'
const definition = 'replicatedkvstores.data.konverge.dev'

const children = ['statefulset/cart', 'service/cart', 'service/cart-headless', 'serviceaccount/cart']

interface Child {
  readonly metadata: {
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly uid: string }[]
  }
}

export function describeWorldFaults(start: StartStoryServer): void {
  let server: StoryServer
  let operator: MortalOperator
  let stores: Stores
  let count = 0

  beforeAll(async () => {
    server = await start()
  })
  beforeEach(async () => {
    stores = new Stores(server, `world-${count++}`)
    await stores.createNamespace()
    operator = await server.mortalOperator({ namespaces: [stores.namespace], backoff: { baseMs: 1_000, capMs: 5_000 } })
    await operator.start().ready()
    await stores.apply({ name: 'cart', spec: { image } })
    await isReady('cart')
  })
  afterEach(async () => {
    // The operator still runs and removes the finalizer; otherwise the CRD could not be deleted.
    await stores.delete('kv', 'cart')
    await operator.stop()
  })
  afterAll(async () => await server.stop())

  const isReady = (name: string) => stores.condition(name, 'Ready', 'True', 'AllReplicasReady')

  async function childrenByName(): Promise<Readonly<Record<string, Child | undefined>>> {
    const entries = children.map(async (child) => {
      const [kind = '', name = ''] = child.split('/')
      return [child, await stores.get<Child>(kind, name)] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  const uidsOf = async () => Object.values(await childrenByName()).map((child) => child?.metadata.uid)

  /** Waits until every child exists, is not being deleted, and has the current store as its controller. */
  async function untilWhole(limitMs = 90_000): Promise<void> {
    await stores.until(
      'all children of the store',
      async () => {
        const owner = (await stores.store('cart'))?.metadata.uid
        const live = Object.values(await childrenByName())
        return live.every(
          (child) =>
            child !== undefined &&
            child.metadata.deletionTimestamp === undefined &&
            child.metadata.ownerReferences?.some(({ uid }) => uid === owner) === true,
        )
      },
      limitMs,
    )
  }

  describe('the children', () => {
    it('get removed labels back, and stay the same objects', async () => {
      const before = await childrenByName()
      for (const child of children) {
        const [kind = '', name = ''] = child.split('/')
        await stores.patch(kind, name, { metadata: { labels: null } })
      }
      await stores.until('the labels', async () => {
        const now = await childrenByName()
        return children.every(
          (child) => JSON.stringify(now[child]?.metadata.labels) === JSON.stringify(before[child]?.metadata.labels),
        )
      })
      expect(await uidsOf()).toEqual(Object.values(before).map((child) => child?.metadata.uid))
      await isReady('cart')
    })

    it.each(['before', 'after'] as const)(
      'deleted during a write (%s the server has done it) are created again',
      async (when) => {
        const before = await uidsOf()
        const match = { verb: 'apply', resource: 'statefulsets' } as const
        const fault = { match, when, effect: { kind: 'delay', delayMs: 3_000 } } as const
        operator.way.inject(fault)
        await stores.patch('kv', 'cart', { spec: { image: 'valkey/valkey:8.1' } })
        await operator.until('the write to be under way', () => operator.way.hasStruck(fault))
        for (const child of children) {
          const [kind = '', name = ''] = child.split('/')
          await stores.startDelete(kind, name)
        }
        await untilWhole()
        await isReady('cart')
        const after = await uidsOf()
        expect(after.filter((uid) => before.includes(uid))).toEqual([])
      },
    )
  })

  describe('a store', () => {
    it('created again under its name while the operator was down gets children of its own', async () => {
      const before = await uidsOf()
      await operator.kill()
      await stores.startDelete('kv', 'cart')
      await stores.patch('kv', 'cart', { metadata: { finalizers: null } })
      await stores.apply({ name: 'cart', spec: { image, replicas: 2 } })
      operator.start()
      await untilWhole()
      await isReady('cart')
      const after = await uidsOf()
      expect(after.filter((uid) => before.includes(uid))).toEqual([])
    })

    it('is reconciled again after its CRD was deleted and installed again', async () => {
      const place = { namespace: '', kind: 'crd', name: definition }
      const found = await server.get(place)
      await server.delete(place)
      expect(await stores.get<StoreObject>('statefulset', 'cart')).toBeUndefined()
      await operator.until('the missing CRD in /readyz', async () =>
        (await operator.get('/readyz')).text.includes('install its CRD'),
      )
      await server.apply(bare(found))
      await stores.until('the definition to be established', async () => isEstablished(await server.get(place)))
      await stores.apply({ name: 'cart', spec: { image } })
      await untilWhole()
      await isReady('cart')
      await operator.ready()
    })
  })
}

/** Returns the installed definition as a manifest. */
function bare(definition: unknown): object {
  const { apiVersion, kind, metadata, spec } = definition as {
    apiVersion: string
    kind: string
    metadata: { name: string; labels?: object }
    spec: object
  } // Read from the server.
  const { name, labels } = metadata
  return { apiVersion, kind, metadata: { name, ...(labels === undefined ? {} : { labels }) }, spec }
}

function isEstablished(definition: unknown): boolean {
  const { status } = definition as { status?: { conditions?: readonly { type: string; status: string }[] } } // As above.
  return status?.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') ?? false
}
