// Partially cached resources: the result of `keep`, or the metadata.
import { afterEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  type ControllerOptions,
  defineController,
  defineResource,
  type LiveObject,
  objectOf,
  Secret,
  type StatusWithConditions,
} from '../../src/index.ts'
import { ServiceAccount } from '../../src/object/built-in.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { secretText } from '../taint/secret-text.ts'

let cluster: TestCluster
afterEach(() => cluster.stop())

type Over = Partial<ControllerOptions<unknown, unknown, undefined>>

/**
 * Declares a ServiceAccount for each ConfigMap with the label, named by its data; records all objects that the
 * controller gets.
 */
function accounts(over: Omit<Over, 'status'>, seen: LiveObject[] = []) {
  return defineController<unknown>(ConfigMap, {
    owns: [ServiceAccount],
    labelSelector: 'account',
    finalizer: false,
    desired: (_, { object }) => {
      seen.push(object as LiveObject)
      const { name = object.metadata.labels?.['account'] } = (object['data'] ?? {}) as { readonly name?: string }
      return [objectOf(ServiceAccount, { metadata: { name: `made-${name}` } })]
    },
    ...over,
  })
}

const labels = { account: 'a' }
const withoutBinary = ({ binaryData: _, ...object }: LiveObject) => object as LiveObject
const made = async () =>
  (await cluster.list(ServiceAccount, 'default'))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('made'))

async function start(over: Omit<Over, 'status'>, seen: LiveObject[] = []) {
  cluster = await startCluster()
  cluster.run(accounts(over, seen))
  const content = { data: { name: 'x' }, binaryData: { big: btoa('big') } }
  await cluster.create(ConfigMap, { metadata: { name: 'a', labels }, ...content })
  await cluster.advance(10_000)
}

describe('a controller with keep', () => {
  it('gets the kept part, ignores changes of the rest, and prunes', async () => {
    const seen: LiveObject[] = []
    await start({ keep: withoutBinary }, seen)
    expect(seen.map((object) => Object.keys(object))).toEqual([expect.not.arrayContaining(['binaryData'])])
    await cluster.patch(ConfigMap, 'a', { binaryData: { big: btoa('other') } })
    expect((await cluster.requestsDuring(60_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
    await cluster.patch(ConfigMap, 'a', { data: { name: 'y' } })
    await cluster.advance(10_000)
    expect(await made()).toEqual(['made-y'])
  })

  it('gets the kept part also of a resource that it has just adopted', async () => {
    const seen: LiveObject[] = []
    await start({ keep: withoutBinary, finalizer: true }, seen)
    expect(seen.length).toBeGreaterThan(0)
    for (const object of seen) expect(object).not.toHaveProperty('binaryData')
  })

  it('uses whole resources if keep throws', async () => {
    await start({
      keep: () => {
        throw new Error('broken')
      },
    })
    await cluster.patch(ConfigMap, 'a', { data: { name: 'y' } })
    await cluster.advance(10_000)
    expect(await made()).toEqual(['made-y'])
  })

  it('keeps metadata and status, whatever it returns', async () => {
    const Task = defineResource<{ readonly lane: string }, StatusWithConditions>({
      ...{ group: 'example.dev', version: 'v1', kind: 'Task', plural: 'tasks', scope: 'Namespaced' },
    })
    const controller = defineController(Task, {
      owns: [],
      keep: ({ apiVersion, kind, metadata: { uid, resourceVersion, name } }) => ({
        ...{ apiVersion, kind, metadata: { uid, resourceVersion, name } },
      }),
      desired: () => {},
      status: () => ({ fields: {}, conditions: [] }),
    })
    const { keep } = controller
    const status = { conditions: [] }
    const task: LiveObject = {
      ...{ apiVersion: 'example.dev/v1', kind: 'Task', spec: { lane: 'x' }, status },
      metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', generation: 2 },
    }
    expect(keep?.(task)).toEqual({ ...task, spec: undefined })
    cluster = await startCluster()
  })
})

describe('a controller with metadataOnly', () => {
  it('declares children by labels, and neither requests nor gets other fields', async () => {
    const seen: LiveObject[] = []
    cluster = await startCluster()
    const controller = defineController(Secret, {
      owns: [ServiceAccount],
      labelSelector: 'account',
      metadataOnly: true,
      desired: (_, { object }) => {
        seen.push(object as LiveObject)
        return [objectOf(ServiceAccount, { metadata: { name: `made-${object.metadata.labels?.['account']}` } })]
      },
    })
    cluster.run(controller)
    const stringData = { key: secretText('metadata-only') }
    await cluster.create(Secret, { metadata: { name: 'a', labels }, stringData })
    await cluster.advance(10_000)
    expect(await made()).toEqual(['made-a'])
    await cluster.patch(Secret, 'a', { metadata: { labels: { account: 'b' } } })
    await cluster.advance(10_000)
    expect(await made()).toEqual(['made-b'])
    expect(seen.length).toBeGreaterThan(1)
    for (const object of seen) expect(Object.keys(object).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
    await cluster.delete(Secret, 'a')
    await cluster.advance(60_000)
    expect([await cluster.find(Secret, 'a'), await made()]).toEqual([undefined, []])
  })

  it('rejects a status or keep', async () => {
    const Task = defineResource<unknown, StatusWithConditions>({
      ...{ group: 'example.dev', version: 'v1', kind: 'Task', plural: 'tasks', scope: 'Namespaced' },
    })
    const base = { owns: [], desired: () => {}, metadataOnly: true }
    const status = () => ({ fields: {}, conditions: [] })
    expect(() => defineController(Task, { ...base, status })).toThrow('metadataOnly excludes status')
    expect(() => defineController(Task, { ...base, keep: withoutBinary })).toThrow('metadataOnly excludes keep')
    cluster = await startCluster()
  })
})
