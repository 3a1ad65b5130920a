import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KubeClient } from '../../src/kube/client.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Namespace, Pod, Secret } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { startCluster, type TestCluster, type TestClusterOptions } from '../../src/testing/index.ts'
import { secretText } from '../taint/secret-text.ts'

let cluster: TestCluster

beforeEach(async () => {
  cluster = await startCluster()
})

afterEach(() => cluster.stop())

const signal = new AbortController().signal
const page = { metadata: { name: 'page', namespace: 'default' }, data: { index: btoa(secretText('page')) } }

describe('a test cluster', () => {
  it('keeps objects, and returns undefined for a missing one', async () => {
    expect(await cluster.find(Secret, 'page')).toBeUndefined()
    await cluster.create(Secret, page)
    await cluster.patch(Secret, 'default/page', { data: { index: btoa(secretText('another page')) } })
    expect(await cluster.find(Secret, 'page')).toMatchObject({ data: { index: btoa(secretText('another page')) } })
    await cluster.delete(Secret, 'page')
    expect(await cluster.list(Secret, 'default')).toEqual([])
  })

  it('rejects with the errors that a client of a real cluster gets', async () => {
    await cluster.create(Secret, page)
    const again = await cluster.create(Secret, page).catch((thrown: unknown) => thrown)
    expect(again).toBeInstanceOf(KubeError)
    expect(again).toMatchObject({ code: 'AlreadyExists', httpStatus: 409 })
  })

  it('lets pods be created in a new namespace at once', async () => {
    await using cluster = await startCluster()
    await cluster.create(Namespace, { metadata: { name: 'shop' } })
    const pod = {
      metadata: { name: 'one', namespace: 'shop' },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    }
    expect((await cluster.create(Pod, pod))['spec']).toMatchObject({ serviceAccountName: 'default' })
  })

  it('runs the controllers that are chosen, and no others', async () => {
    await using cluster = await startCluster({ controllers: ['namespace'], simulatedNodes: 1 })
    const pod = { metadata: { name: 'one' }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
    await cluster.create(Pod, pod)
    await cluster.settle()
    expect(await cluster.find(Pod, 'one')).toMatchObject({ status: { phase: 'Pending' } })
  })

  it('is the same for the same seed', async () => {
    const other = await startCluster()
    expect(await other.find(Namespace, 'default')).toEqual(await cluster.find(Namespace, 'default'))
    await other.stop()
  })

  it('advances at once when nothing is left to do', async () => {
    const beforeMs = cluster.clock.monotonicMs()
    await cluster.settle(1_000)
    expect(cluster.clock.monotonicMs() - beforeMs).toBe(1_000)
  })
})

describe('requests', () => {
  it('are counted with their responses, except those of the test itself', async () => {
    await cluster.create(Secret, page)
    await find()
    cluster.faults.add({ fault: { kind: 'cut', when: 'before' }, on: { verbs: ['get'] } })
    await find()
    const [heard, cut] = cluster.requests()
    expect(heard).toMatchObject({ userAgent: 'app', verb: 'get', resource: 'secrets', name: 'page', code: 200 })
    expect(cut).toMatchObject({ verb: 'get', code: 0 })
    expect(cluster.requests()).toHaveLength(2)
  })

  it('are separate from earlier ones', async () => {
    await find()
    cluster.clock.setTimer(1_000, () => void find())
    expect(await cluster.requestsDuring(999)).toEqual([])
    expect(await cluster.requestsDuring(1)).toMatchObject([{ verb: 'get', name: 'page' }])
  })
})

describe('controllers', () => {
  const pages = defineController(ConfigMap, { owns: [Secret], desired: () => {} })
  const refusedTo = async (options: TestClusterOptions) => {
    await using confined = await startCluster(options)
    confined.run(pages)
    await confined.advance(1_000)
    const refused = confined.requests().filter(({ code }) => code === 403)
    return [...new Set(refused.map(({ verb, resource }) => `${verb} ${resource}`))].sort()
  }

  it.each([
    ['the administrator', {}, []],
    ['a user without rights', { user: 'nobody' }, ['watch configmaps', 'watch secrets']],
    [
      'the rights that are given',
      { rights: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }] },
      ['watch secrets'],
    ],
  ])('run as %s', async (_, options, refused) => {
    expect(await refusedTo(options)).toEqual(refused)
  })
})

describe('an operator', () => {
  const pages = defineController(ConfigMap, { owns: [], finalizer: false, desired: () => {} })
  const partition = (userAgent: string) =>
    cluster.faults.add({ fault: { kind: 'cut', when: 'before' }, on: { userAgent } })
  /** Starts two members, of which `b` cannot reach the API server. */
  async function partitioned() {
    const [stays, leaves] = ['a', 'b'].map((member) => cluster.runMember(member, pages))
    await cluster.advance(20_000)
    partition('b')
    await cluster.advance(60_000)
    return { stays, leaves }
  }

  it('rejects done when it loses its lease, and the other member continues', async () => {
    const { stays, leaves } = await partitioned()
    await expect(leaves?.done).rejects.toMatchObject({ code: 'LeaseLost' })
    await expect(leaves?.stop()).rejects.toMatchObject({ code: 'LeaseLost' })
    await stays?.stop()
    await stays?.done
  })

  it('loses its lease without an unhandled rejection, and the cluster stops', async () => {
    await partitioned()
    await cluster.stop()
  })

  it('stops while it is cut off', async () => {
    const member = cluster.runMember('b', pages)
    await cluster.advance(20_000)
    partition('b')
    await member.stop()
    await member.done
  })

  it.each([
    ['run', () => cluster.run(pages)],
    ['runAs', () => cluster.runAs('operator', pages)],
  ])('resolves done when a test that used %s stops it', async (_, run) => {
    const operator = run()
    await cluster.advance(1_000)
    await operator.stop()
    await operator.done
  })

  it('that cannot start is the error of stop, unless the test has its done', async () => {
    const reasonOf = async (isObserved: boolean) => {
      const other = await startCluster()
      other.faults.add({ fault: { kind: 'refuse', code: 500 }, on: { userAgent: 'operator' } })
      const operator = other.run(pages)
      if (isObserved) void operator.done
      await other.advance(1_000)
      return await other.stop().then(
        () => 'stopped',
        ({ code }: KubeError) => code,
      )
    }
    expect(await reasonOf(false)).toBe('ServerError')
    expect(await reasonOf(true)).toBe('stopped')
  })
})

describe('faults', () => {
  it('reject the given number of requests, and then no more', async () => {
    const rule = {
      fault: { kind: 'refuse', code: 429, retryAfterSeconds: 3 },
      on: { verbs: ['create'] },
      times: 2,
    } as const
    cluster.faults.add(rule)
    const codes = []
    for (let attempt = 0; attempt < 3; attempt++)
      codes.push(
        await create().then(
          () => 'created',
          (error: KubeError) => [error.code, error.retryAfterMs],
        ),
      )
    expect(codes).toEqual([['TooManyRequests', 3_000], ['TooManyRequests', 3_000], 'created'])
    expect(cluster.faults.struck(rule)).toBe(2)
  })

  it('cut off an answer after the write has happened', async () => {
    cluster.faults.add({ fault: { kind: 'cut', when: 'after' }, on: { verbs: ['create'] }, times: 1 })
    await expect(create()).rejects.toMatchObject({ code: 'Unreachable' })
    expect(await find()).toBeDefined()
  })

  it('cut off a request before the server receives it', async () => {
    cluster.faults.add({ fault: { kind: 'cut', when: 'before' }, on: { verbs: ['create'] }, times: 1 })
    await expect(create()).rejects.toMatchObject({ code: 'Unreachable' })
    expect(await find()).toBeUndefined()
  })

  it('let reads return an older state', async () => {
    await cluster.create(Secret, page)
    cluster.faults.add({ fault: { kind: 'stale-read', revisions: 1 } })
    expect(await find()).toBeUndefined()
    expect((await app().list(Secret, {}, signal)).items).toEqual([])
  })

  it('delay responses by the clock of the cluster', async () => {
    cluster.faults.add({ fault: { kind: 'latency', ms: 2_000 }, on: { verbs: ['create'] } })
    const creation = create()
    await cluster.advance(1_999)
    expect(cluster.server.log.list('secrets', 'default')).toEqual([])
    await cluster.advance(1)
    await creation
  })

  it.each([
    [{ kind: 'lose-events', share: 1 }, []],
    [{ kind: 'repeat-events', share: 1 }, ['a', 'a', 'b', 'b']],
    [{ kind: 'freeze-watch' }, []],
    [{ kind: 'cut-watch', afterEvents: 1 }, ['a', 'cut']],
    [{ kind: 'delay-events', ms: 5_000 }, ['a', 'b']],
  ] as const)('%o makes a watch deliver %o', async (fault, told) => {
    const since = cluster.server.log.revision
    cluster.faults.add({ fault, on: { verbs: ['watch'] } })
    const names: string[] = []
    const end = new AbortController()
    const reading = (async () => {
      try {
        const frames = app().watch(Secret, { namespace: 'default', resourceVersion: String(since) }, end.signal)
        for await (const { type, object } of frames) if (type === 'ADDED') names.push(object.metadata.name)
      } catch {
        if (!end.signal.aborted) names.push('cut')
      }
    })()
    await cluster.advance(0)
    for (const name of ['a', 'b']) await cluster.create(Secret, { metadata: { name, namespace: 'default' } })
    await cluster.advance(4_999)
    if (fault.kind === 'delay-events') expect(names).toEqual([])
    await cluster.advance(1)
    end.abort()
    await reading
    expect(names).toEqual(told)
  })

  it('end for a watch whose client has left', async () => {
    const since = cluster.server.log.revision
    cluster.faults.add({ fault: { kind: 'delay-events', ms: 5_000 }, on: { verbs: ['watch'] } })
    const end = new AbortController()
    const frames = app().watch(Secret, { namespace: 'default', resourceVersion: String(since) }, end.signal)
    const first = frames[Symbol.asyncIterator]().next()
    await cluster.advance(0)
    await cluster.create(Secret, { metadata: { name: 'late', namespace: 'default' } })
    await cluster.advance(1)
    end.abort()
    await expect(first).rejects.toBeDefined()
    await cluster.advance(5_000)
  })
})

/** Returns another client, which the faults affect. */
function app(): KubeClient {
  return cluster.clientOf('app')
}

function create(): Promise<LiveObject> {
  return app().create(Secret, { ...page, apiVersion: 'v1', kind: 'Secret' }, { fieldManager: 'app' }, signal)
}

function find(): Promise<LiveObject | undefined> {
  return app()
    .get(Secret, { namespace: 'default', name: 'page' }, signal)
    .catch(() => undefined)
}
