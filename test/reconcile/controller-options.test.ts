// Options of a controller that override or extend those of its operator.
import { afterEach, describe, expect, it } from 'vitest'
import { type Log, silentInstruments } from '../../src/base/instrument.ts'
import {
  ConfigMap,
  type ControllerOptions,
  defineController,
  defineResource,
  Namespace,
  objectOf,
  Secret,
  type StatusWithConditions,
} from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { secretText } from '../taint/secret-text.ts'

interface TaskSpec {
  readonly lane: string
}

const Task = defineResource<TaskSpec, StatusWithConditions>({
  ...{ group: 'example.dev', version: 'v1', kind: 'Task', plural: 'tasks', scope: 'Namespaced' },
})
const definition = {
  metadata: { name: 'tasks.example.dev' },
  spec: {
    ...{ group: 'example.dev', scope: 'Namespaced' },
    names: { kind: 'Task', plural: 'tasks', singular: 'task' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        selectableFields: [{ jsonPath: '.spec.lane' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { lane: { type: 'string' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

type Over = Partial<ControllerOptions<TaskSpec, StatusWithConditions, undefined>>

function tasks(over: Over) {
  return defineController<TaskSpec, StatusWithConditions, undefined>(Task, {
    owns: [ConfigMap],
    desired: () => {},
    status: () => ({ fields: {}, conditions: [] }),
    ...over,
  })
}

let cluster: TestCluster

afterEach(() => cluster.stop())

async function start(over: Over): Promise<void> {
  cluster = await startCluster({ definitions: [definition] })
  cluster.run(tasks(over))
}

async function add(...names: readonly string[]): Promise<void> {
  for (const name of names)
    await cluster.create(Task, { metadata: { name, labels: { lane: name } }, spec: { lane: name } })
}

const isReady = async (name: string) => (await cluster.condition(Task, name, 'Ready'))?.status === 'True'

describe('a controller', () => {
  it.each([
    ['labels', { labelSelector: 'lane=fast' }],
    ['fields', { fieldSelector: 'spec.lane=fast' }],
  ])('manages the resources that it selects by %s', async (_, over) => {
    await start(over)
    await add('fast', 'slow')
    await cluster.advance(10_000)
    expect([await isReady('fast'), await isReady('slow')]).toEqual([true, false])
  })

  it('manages the resources of its namespaces, beside a controller for other namespaces', async () => {
    cluster = await startCluster({ definitions: [definition] })
    for (const name of ['a', 'b']) await cluster.create(Namespace, { metadata: { name } })
    const desired = (_: unknown, { object: { metadata } }: { object: { metadata: { name: string } } }) => [
      objectOf(ConfigMap, { metadata: { name: metadata.name } }),
    ]
    cluster.run(tasks({ namespaces: ['a'], desired }))
    for (const namespace of ['a', 'b'])
      await cluster.create(Task, { metadata: { name: 'task', namespace }, spec: { lane: 'x' } })
    await cluster.advance(10_000)
    expect(await cluster.find(ConfigMap, 'a/task')).toBeDefined()
    expect(await cluster.find(ConfigMap, 'b/task')).toBeUndefined()
    const watched = cluster
      .requests()
      .filter(({ verb, resource }) => verb === 'watch' && /tasks|configmaps/.test(resource))
    expect(new Set(watched.map(({ namespace }) => namespace))).toEqual(new Set(['a']))
  })

  it('watches a kind in other namespaces than its own if the watch has its own namespaces', async () => {
    cluster = await startCluster({ definitions: [definition] })
    await cluster.create(Namespace, { metadata: { name: 'themes' } })
    const seen: string[] = []
    cluster.run(
      tasks({
        namespaces: ['default'],
        watches: [
          {
            resource: Secret,
            namespaces: ['themes'],
            keysFor: ({ metadata }) => {
              seen.push(`${metadata.namespace}/${metadata.name}`)
              return []
            },
          },
        ],
      }),
    )
    await cluster.advance(1_000)
    for (const namespace of ['default', 'themes']) await cluster.create(Secret, { metadata: { name: 'a', namespace } })
    await cluster.advance(10_000)
    expect(new Set(seen)).toEqual(new Set(['themes/a']))
  })

  it('rejects namespaces for a cluster-scoped kind, and an empty list of namespaces', async () => {
    await start({})
    const definedFor = (kind: typeof Task, namespaces: readonly string[]) => () =>
      defineController(kind, {
        owns: [],
        namespaces,
        desired: () => {},
        status: () => ({ fields: {}, conditions: [] }),
      })
    expect(definedFor({ ...Task, scope: 'Cluster' }, ['a'])).toThrow('Task is cluster-scoped')
    expect(definedFor(Task, [])).toThrow('names at least one namespace')
  })

  it('limits its concurrent reconciles', async () => {
    let [running, most] = [0, 0]
    const observe = async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => cluster.clock.setTimer(100, resolve))
      running--
      return undefined
    }
    await start({ maxConcurrent: 2, observe })
    await add('a', 'b', 'c', 'd', 'e', 'f')
    await cluster.advance(10_000)
    expect(most).toBe(2)
  })

  it('limits its reconciles per second', async () => {
    const times: number[] = []
    const observe = async () => {
      times.push(cluster.clock.monotonicMs())
      return undefined
    }
    await start({ reconcileRate: { perSecond: 2, burst: 1 }, observe })
    await add('a', 'b', 'c', 'd', 'e')
    await cluster.advance(10_000)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(gaps.length).toBeGreaterThanOrEqual(4)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500)
  })

  it('retries after its own delays', async () => {
    const times: number[] = []
    const observe = async () => {
      times.push(cluster.clock.monotonicMs())
      throw new Error('not yet')
    }
    await start({ backoff: { baseMs: 100, capMs: 200 }, observe })
    await add('a')
    await cluster.advance(5_000)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(gaps.length).toBeGreaterThan(20)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(200)
  })

  it('reconciles an idle resource after its interval', async () => {
    let count = 0
    await start({
      resyncMs: 60_000,
      observe: async () => {
        count++
        return undefined
      },
    })
    await add('a')
    await cluster.advance(10_000)
    const before = count
    await cluster.advance(660_000)
    expect(count - before).toBeGreaterThanOrEqual(10)
    expect(count - before).toBeLessThanOrEqual(11)
  })

  it.each([
    [{ maxConcurrent: 0 }, 'maxConcurrent is a positive number'],
    [{ maxConcurrent: 1.5 }, 'maxConcurrent is a positive number'],
    [{ reconcileRate: { perSecond: 0, burst: 1 } }, 'a rate is more than 0 a second'],
    [{ backoff: { baseMs: 5_000, capMs: 1_000 } }, 'a capMs that is not below it, and not 5000 and 1000'],
    [{ backoff: { baseMs: 0, capMs: 1_000 } }, 'a positive baseMs'],
    [{ resyncMs: 0 }, 'resyncMs is a positive number of milliseconds'],
  ])('is rejected with %j', async (over, message) => {
    cluster = await startCluster()
    expect(() => tasks(over)).toThrow(message)
  })

  it('logs the name of an undeclared index, also in a watch of Secrets', async () => {
    const errors: unknown[] = []
    const { log } = silentInstruments
    const loud: Log = { ...log, error: ({ error }) => void errors.push(error), with: () => loud }
    cluster = await startCluster({ definitions: [definition], instruments: { ...silentInstruments, log: loud } })
    cluster.run(tasks({ watches: [{ resource: Secret, keysFor: (_, lookup) => lookup('nope', 'x') }] }))
    await cluster.advance(1_000)
    await cluster.create(Secret, { metadata: { name: 'a' }, data: { word: btoa(secretText('index')) } })
    await cluster.advance(1_000)
    expect(errors).toEqual([expect.stringContaining("tasks.example.dev declares no 'nope': add it to indexes")])
  })
})
