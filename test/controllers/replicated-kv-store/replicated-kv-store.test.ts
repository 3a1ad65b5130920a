// Declaration of the controller: its observation, its rejections, and the resources that an event reconciles.
import { describe, expect, it } from 'vitest'
import { seededSecrets } from '../../../src/base/random.ts'
import { replicatedKvStore as controllerOf } from '../../../src/controllers/replicated-kv-store/replicated-kv-store.ts'
import {
  type EventReport,
  type Key,
  type LiveObject,
  type LiveReader,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from '../../../src/index.ts'
import { live } from '../../objects.ts'

const replicatedKvStore = controllerOf()

const label = 'data.konverge.dev/replicatedkvstore'
const signal = new AbortController().signal
/** Inputs that are the same for every observation. */
const seen = {
  isAvailable: () => true,
  children: [],
  externals: [],
  sagas: [],
  secrets: seededSecrets(1),
  signal,
  nowMs: Date.parse('2026-01-01T12:00:00Z'),
}

function storeOf(spec: object = {}, metadata: object = {}): never {
  const object = live({
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata: { name: 'cart', namespace: 'shop', ...metadata },
    spec: {
      image: 'kv',
      replicas: 2,
      port: 6379,
      storage: { size: '1Gi', reuseRetained: 'Refuse' },
      pvcRetention: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      ...spec,
    },
  })
  // The erased controller takes objects of its own resource, and this is one.
  return object as never
}

/** Returns a reader of these objects. */
function readerOf(objects: readonly LiveObject[]): LiveReader & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    find: async (resource, { name }) => {
      asked.push(`${resource.kind} ${name}`)
      return objects.find((object) => object.kind === resource.kind && object.metadata.name === name) as never
    },
    list: async (resource, { namespace, labels = {} }) =>
      objects.filter(
        (object) =>
          object.kind === resource.kind &&
          object.metadata.namespace === namespace &&
          Object.entries(labels).every(([key, value]) => object.metadata.labels?.[key] === value),
      ) as never,
    byIndex: () => [],
  }
}

const claim = (ordinal: number, namespace = 'shop') =>
  live({
    kind: 'PersistentVolumeClaim',
    metadata: { name: `data-cart-${ordinal}`, namespace, labels: { [label]: 'cart' } },
  })
const storageClass = live({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' } })

describe('a store', () => {
  const refusalOf = async (spec: object, objects: readonly LiveObject[]) => {
    const object = storeOf(spec)
    const facts = await replicatedKvStore.observe({ object, live: readerOf(objects), ...seen })
    return replicatedKvStore.validate({ object, facts })
  }

  it.each([
    { title: 'names no class', spec: {}, objects: [], refusal: undefined },
    { title: 'wants volumes that exist already', spec: { storageClassName: '' }, objects: [], refusal: undefined },
    {
      title: 'names a class that is there',
      spec: { storageClassName: 'fast' },
      objects: [storageClass],
      refusal: undefined,
    },
    {
      title: 'names a class that is not there',
      spec: { storageClassName: 'slow' },
      objects: [storageClass],
      refusal: { reason: 'InvalidSpec', message: "StorageClass 'slow' not found" },
    },
  ])('that $title gets $refusal', async ({ spec, objects, refusal }) => {
    expect(await refusalOf(spec, objects)).toEqual(refusal)
  })

  it('without a class looks up no class', async () => {
    const reader = readerOf([])
    await replicatedKvStore.observe({ object: storeOf(), live: reader, ...seen })
    expect(reader.asked).toEqual([])
  })

  it('observes the claims beyond its replicas, and all of them when it is deleted', async () => {
    const reader = readerOf([claim(0), claim(1), claim(2), claim(3, 'elsewhere')])
    const staying = await replicatedKvStore.observe({ object: storeOf(), live: reader, ...seen })
    expect(staying).toMatchObject({ unusedClaims: ['data-cart-2'] })
    const going = storeOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(await replicatedKvStore.observe({ object: going, live: reader, ...seen })).toMatchObject({
      unusedClaims: ['data-cart-0', 'data-cart-1', 'data-cart-2'],
    })
  })

  it.each([
    { whenDeleted: 'Retain', claims: [claim(0), claim(1)], notes: 1 },
    { whenDeleted: 'Delete', claims: [claim(0), claim(1)], notes: 0 },
    { whenDeleted: 'Retain', claims: [], notes: 0 },
  ])(
    'that is deleted with $whenDeleted and $claims.length claims reports $notes times',
    async ({ whenDeleted, claims, notes }) => {
      const events: EventReport[] = []
      const object = storeOf({ pvcRetention: { whenDeleted } }, { deletionTimestamp: '2026-01-01T00:00:00Z' })
      const report = (event: EventReport) => void events.push(event)
      const result = await replicatedKvStore.cleanup({
        object,
        live: readerOf(claims),
        ...seen,
        // No code calls it.
        client: undefined as never,
        report,
      })
      expect(result).toEqual({ kind: 'done' })
      expect(events.map(({ reason }) => reason)).toEqual(Array(notes).fill('VolumesRetained'))
      for (const { note } of events) expect(note).toContain('data-cart-0, data-cart-1')
    },
  )
})

describe('an event', () => {
  const watchOf = (kind: string) => {
    const watch = replicatedKvStore.watches.find(({ resource }) => resource.kind === kind)
    if (watch === undefined) throw new Error(`${kind} is not watched`)
    return watch
  }
  const lookup = (index: string, value: string): readonly Key[] =>
    index === 'storageClassName' && value === 'fast' ? ['shop/cart' as Key] : []
  const labelled = (kind: string, value?: string) =>
    live({ kind, metadata: { namespace: 'shop', ...(value === undefined ? {} : { labels: { [label]: value } }) } })

  it.each([
    { title: 'of its pod', resource: Pod, object: labelled('Pod', 'cart'), keys: ['shop/cart'] },
    {
      title: 'of its claim',
      resource: PersistentVolumeClaim,
      object: labelled('PersistentVolumeClaim', 'cart'),
      keys: ['shop/cart'],
    },
    { title: 'of a class that it names', resource: StorageClass, object: storageClass, keys: ['shop/cart'] },
    { title: 'of a pod without a store', resource: Pod, object: labelled('Pod'), keys: [] },
  ])('$title reconciles $keys', ({ resource, object, keys }) => {
    expect(watchOf(resource.kind).keysFor(object, lookup)).toEqual(keys)
  })

  it('about a pod counts only if it changes the problem', () => {
    const { digest } = watchOf('Pod')
    const pod = (status: object) => live({ kind: 'Pod', metadata: { name: 'cart-0' }, status })
    const pulling = { containerStatuses: [{ image: 'kv', state: { waiting: { reason: 'ErrImagePull' } } }] }
    expect(digest?.(pod({ phase: 'Pending' }))).toEqual(digest?.(pod({ phase: 'Running', podIP: '10.0.0.1' })))
    expect(digest?.(pod(pulling))).not.toEqual(digest?.(pod({})))
  })

  it("about a pod is kept without the pod's spec", () => {
    const pod = live({ kind: 'Pod', metadata: { name: 'cart-0' }, spec: { containers: [] }, status: {} })
    expect(watchOf('Pod').keep?.(pod)).toEqual(live({ kind: 'Pod', metadata: { name: 'cart-0' }, status: {} }))
  })

  it('about a class reconciles the stores that name it', () => {
    const classesOf = replicatedKvStore.indexes['storageClassName']
    expect(classesOf?.(storeOf({ storageClassName: 'fast' }))).toEqual(['fast'])
    expect(classesOf?.(storeOf())).toEqual(['(default)'])
  })
})
