// Options that a controller sets for itself, beside those of its operator.
import { afterEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  type ControllerOptions,
  defineController,
  defineResource,
  type StatusWithConditions,
} from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

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
  ])('looks after the resources that it selects by %s', async (_, over) => {
    await start(over)
    await add('fast', 'slow')
    await cluster.advance(10_000)
    expect([await isReady('fast'), await isReady('slow')]).toEqual([true, false])
  })

  it('has as many reconciles at once as it says', async () => {
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

  it('reconciles what is at rest after its interval', async () => {
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
    [{ resyncMs: 0 }, 'resyncMs is a positive number of milliseconds'],
  ])('is rejected with %j', async (over, message) => {
    cluster = await startCluster()
    expect(() => tasks(over)).toThrow(message)
  })
})
