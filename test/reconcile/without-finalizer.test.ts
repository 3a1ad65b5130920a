// Controllers that write only the status of their resources: the garbage collector deletes the children.
import { afterEach, describe, expect, it } from 'vitest'
import { rightsOf } from '../../src/generate/rbac.ts'
import {
  addObject,
  ConfigMap,
  type ControllerOptions,
  defineController,
  defineResource,
  type PlainObject,
  retain,
  Secret,
  type StatusWithConditions,
} from '../../src/index.ts'
import { Namespace, ServiceAccount } from '../../src/object/built-in.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

interface NoteSpec {
  readonly text: string
}

const Note = defineResource<NoteSpec, StatusWithConditions>({
  ...{ group: 'example.dev', version: 'v1', kind: 'Note', plural: 'notes', scope: 'Namespaced' },
})
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const definition = {
  metadata: { name: 'notes.example.dev' },
  spec: {
    ...{ group: 'example.dev', scope: 'Namespaced', names: { kind: 'Note', plural: 'notes', singular: 'note' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
}

type Over = Partial<ControllerOptions<NoteSpec, StatusWithConditions, undefined>>
const object = (kind: string, name: string, namespace?: string): PlainObject => ({
  ...{ apiVersion: 'v1', kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } },
})

const notes = (over: Over = {}) =>
  defineController<NoteSpec, StatusWithConditions, undefined>(Note, {
    owns: [ConfigMap, Secret],
    finalizer: false,
    desired: (_, { object: { metadata, spec } }) => [
      { ...object('ConfigMap', metadata.name), data: { text: spec.text } },
      object('Secret', metadata.name),
    ],
    status: () => ({ fields: {}, conditions: [] }),
    ...over,
  })

let cluster: TestCluster
afterEach(() => cluster.stop())

async function start(over: Over = {}) {
  cluster = await startCluster({ definitions: [definition] })
  const operator = cluster.run(notes(over))
  await cluster.create(Note, { metadata: { name: 'a' }, spec: { text: 'hello' } })
  await cluster.advance(10_000)
  return operator
}

const note = async () => (await cluster.find(Note, 'a'))?.metadata
const reason = async () => (await cluster.condition(Note, 'a', 'Ready'))?.reason
const unmarked = { finalizers: undefined, labels: undefined, annotations: undefined }
const writes = () =>
  cluster.requests().filter(({ verb, resource }) => resource === 'notes' && !['list', 'watch', 'get'].includes(verb))

describe('a controller without finalizer', () => {
  it('writes nothing on a resource but its status', async () => {
    await start()
    expect(await reason()).toBe('Settled')
    expect({ ...unmarked, ...(await note()) }).toMatchObject(unmarked)
    expect(writes().map(({ subresource }) => subresource)).toEqual(['status'])
    expect(await cluster.requestsDuring(240_000)).toEqual([])
  })

  it('corrects and prunes children, also after a restart', async () => {
    const operator = await start()
    await cluster.patch(ConfigMap, 'a', { data: { text: 'edited' } })
    await cluster.advance(10_000)
    expect(await cluster.find(ConfigMap, 'a')).toMatchObject({ data: { text: 'hello' } })
    await operator.stop()
    cluster.run(notes({ desired: (_, { object: { metadata } }) => [object('Secret', metadata.name)] }))
    await cluster.advance(10_000)
    expect(await cluster.find(ConfigMap, 'a')).toBeUndefined()
    expect(await cluster.find(Secret, 'a')).toBeDefined()
  })

  it('leaves the deletion of a resource to the garbage collector', async () => {
    await start()
    await cluster.delete(Note, 'a')
    expect(await note()).toBeUndefined()
    await cluster.advance(30_000)
    expect([await cluster.find(ConfigMap, 'a'), await cluster.find(Secret, 'a')]).toEqual([undefined, undefined])
  })

  it('creates the children of a recreated resource at once', async () => {
    await start()
    await cluster.delete(Note, 'a')
    await cluster.create(Note, { metadata: { name: 'a' }, spec: { text: 'again' } })
    await cluster.advance(120_000)
    expect(await reason()).toBe('Settled')
    expect(await cluster.find(ConfigMap, 'a')).toMatchObject({
      data: { text: 'again' },
      metadata: { ownerReferences: [{ uid: (await note())?.uid }] },
    })
  })

  it('keeps retained children when the resource is deleted', async () => {
    await start({
      desired: (chart, { object: { metadata } }) => retain(addObject(chart, object('Secret', metadata.name))),
    })
    await cluster.delete(Note, 'a')
    await cluster.advance(30_000)
    expect(await cluster.find(Secret, 'a')).toBeDefined()
  })

  it('does not apply a child in another namespace, and reports that', async () => {
    await start({ desired: () => [object('ConfigMap', 'a'), object('Secret', 'a', 'kube-system')] })
    expect(await reason()).toBe('FinalizerNeeded')
    expect((await cluster.condition(Note, 'a', 'Ready'))?.message).toContain('Secret kube-system/a is outside')
    expect(await cluster.find(Secret, 'kube-system/a')).toBeUndefined()
  })

  it('prunes retired kinds, and no other former ones', async () => {
    const operator = await start({ owns: [ConfigMap, Secret, ServiceAccount], desired: () => all })
    await operator.stop()
    cluster.run(notes({ owns: [ConfigMap], retired: [Secret], desired: () => all.slice(0, 1) }))
    await cluster.advance(30_000)
    expect(await cluster.find(Secret, 'a')).toBeUndefined()
    expect(await cluster.find(ServiceAccount, 'a'), 'its kind is not retired').toBeDefined()
    expect(await cluster.find(ConfigMap, 'a')).toBeDefined()
    expect(await cluster.requestsDuring(240_000)).toEqual([])
  })

  it('removes the metadata of an earlier version when no recorded child is left', async () => {
    await startWithFinalizer()
    cluster.run(notes({ desired: () => [object('ConfigMap', 'a')] }))
    await cluster.advance(60_000)
    expect(await reason()).toBe('Settled')
    expect({ ...unmarked, ...(await note()) }).toMatchObject({ ...unmarked, labels: {}, annotations: {} })
    expect(await cluster.find(Secret, 'other/a'), 'a remote child').toBeUndefined()
    expect(await cluster.requestsDuring(240_000)).toEqual([])
  })

  it('cleans up a resource of an earlier version that is being deleted', async () => {
    await startWithFinalizer()
    await cluster.delete(Note, 'a')
    cluster.run(notes())
    await cluster.advance(60_000)
    expect(await note()).toBeUndefined()
    expect(await cluster.find(Secret, 'other/a')).toBeUndefined()
  })

  it('needs the rights that it declares', async () => {
    const controller = notes({ retired: [ServiceAccount] })
    const { namespaced, cluster: clusterWide } = rightsOf({ name: 'notes', controllers: [controller] })
    cluster = await startCluster({ definitions: [definition], rights: [...namespaced, ...clusterWide] })
    cluster.run(controller)
    await cluster.create(Note, { metadata: { name: 'a' }, spec: { text: 'hello' } })
    await cluster.advance(10_000)
    expect(await reason()).toBe('Settled')
    expect(cluster.requests().filter(({ code }) => code === 403)).toEqual([])
  })

  it.each([
    ['cleanup', { cleanup: async () => ({ kind: 'done' }) }],
    ['preDelete', { preDelete: () => {} }],
  ] as const)('rejects the option %s', async (name, over) => {
    cluster = await startCluster()
    expect(() => notes(over as Over)).toThrow(`has finalizer: false and ${name}`)
  })
})

const all = [object('ConfigMap', 'a'), object('Secret', 'a'), object('ServiceAccount', 'a')]

/** A Note with a remote child, of a version of the controller that had a finalizer. */
async function startWithFinalizer(): Promise<void> {
  const desired = () => [object('ConfigMap', 'a'), object('Secret', 'a', 'other')]
  cluster = await startCluster({ definitions: [definition] })
  await cluster.create(Namespace, { metadata: { name: 'other' } })
  const operator = cluster.run(notes({ finalizer: true, desired }))
  await cluster.create(Note, { metadata: { name: 'a' }, spec: { text: 'hello' } })
  await cluster.advance(10_000)
  expect(await cluster.find(Secret, 'other/a')).toBeDefined()
  expect((await note())?.finalizers).toHaveLength(1)
  await operator.stop()
}
