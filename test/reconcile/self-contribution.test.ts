// Fields that a resource contributes to itself: labels of a Namespace, annotations and data of a ConfigMap.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededSecrets } from '../../src/base/random.ts'
import {
  addObject,
  ConfigMap,
  type Controller,
  type ControllerOptions,
  contribute,
  defineController,
  defineResource,
  keyFor,
  type LiveObject,
  Namespace,
  objectOf,
  type PlainFields,
  type Resource,
  rightsOf,
  Secret,
  type StatusWithConditions,
} from '../../src/index.ts'
import { Event } from '../../src/object/built-in.ts'
import { identityOf } from '../../src/object/identity.ts'
import { loadLivePlan } from '../../src/reconcile/live-plan-loader.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { SimClock, startCluster, type TestCluster, type TestOperator } from '../../src/testing/index.ts'

type Options = ControllerOptions<unknown, unknown, unknown>
type Context = Parameters<Options['desired']>[1]

let cluster: TestCluster
let operator: TestOperator
afterEach(() => cluster.stop())

/** A controller that declares fields of its own resource; undefined declares nothing. */
function selfController(
  resource: Resource,
  fields: (context: Context) => PlainFields | undefined,
  over: Partial<Options> = {},
): Controller {
  return defineController<unknown, unknown, unknown>(resource, {
    owns: [],
    watches: [{ resource, contributes: true, keysFor: () => [] }],
    finalizer: false,
    desired: (chart, context) => {
      const { name, namespace } = context.object.metadata
      const declared = fields(context)
      if (declared === undefined) return
      const place = namespace === undefined ? { name } : { name, namespace }
      contribute(addObject(chart, objectOf(resource, { ...declared, metadata: { ...declared.metadata, ...place } })))
    },
    ...over,
  })
}

/** Starts the operator with exactly the rights that it declares. */
async function start(controller: Controller, definitions: readonly object[] = []): Promise<void> {
  const { namespaced, cluster: clusterWide } = rightsOf({ name: 'operator', controllers: [controller] })
  cluster = await startCluster({ definitions, rights: [...namespaced, ...clusterWide] })
  operator = cluster.run(controller)
  await cluster.advance(1_000)
}

async function restart(controller: Controller): Promise<void> {
  await operator.stop()
  operator = cluster.run(controller)
  await cluster.advance(60_000)
}

/** Returns the operator's requests in this time, without the watches that it keeps open. */
const asked = async (ms: number) => (await cluster.requestsDuring(ms)).filter(({ verb }) => verb !== 'watch')
const isWrite = ({ verb }: { readonly verb: string }) => verb === 'patch' || verb === 'update' || verb === 'create'
const writesDuring = async (ms: number) => (await cluster.requestsDuring(ms)).filter(isWrite)
const forbidden = () => cluster.requests().filter(({ code }) => code === 403)

describe('a Namespace that its controller labels', () => {
  const tier = (object: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }) =>
    object.metadata.annotations?.['example.com/tier']
  const tiers = selfController(Namespace, ({ object }) => {
    const value = tier(object)
    return value === undefined ? undefined : { metadata: { labels: { tier: value } } }
  })
  const labels = async () => {
    const { 'kubernetes.io/metadata.name': _, ...own } = (await cluster.find(Namespace, 'shop'))?.metadata.labels ?? {}
    return own
  }
  const managers = async () =>
    (await cluster.find(Namespace, 'shop'))?.metadata.managedFields?.map(({ manager }) => manager)

  beforeEach(async () => {
    await start(tiers)
    const metadata = { name: 'shop', labels: { team: 'a' }, annotations: { 'example.com/tier': 'gold' } }
    await cluster.create(Namespace, { metadata })
    await cluster.advance(10_000)
  })

  it('has the label after one apply, and no other metadata; then no request follows, also after a restart', async () => {
    expect(await labels()).toEqual({ team: 'a', tier: 'gold' })
    const { finalizers, annotations } = (await cluster.find(Namespace, 'shop'))?.metadata ?? {}
    expect([finalizers, annotations]).toEqual([undefined, { 'example.com/tier': 'gold' }])
    expect(
      cluster.requests().filter(({ verb, resource }) => verb === 'patch' && resource === 'namespaces').length,
    ).toBe(1)
    expect(await asked(600_000)).toEqual([])
    await restart(tiers)
    expect(cluster.requests().filter(isWrite)).toHaveLength(1)
    expect(await asked(600_000)).toEqual([])
    expect(forbidden()).toEqual([])
  })

  it('has another label when the declaration changes, and none when it ends', async () => {
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': 'free' } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', tier: 'free' })
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': null } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a' })
    expect(await managers()).toEqual(['test'])
    expect(await asked(600_000)).toEqual([])
  })

  it('gets a label back that a user changes or removes', async () => {
    await cluster.patch(Namespace, 'shop', { metadata: { labels: { tier: 'mine' } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', tier: 'gold' })
    await cluster.patch(Namespace, 'shop', { metadata: { labels: { tier: null } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', tier: 'gold' })
    expect(await asked(600_000)).toEqual([])
  })

  it('keeps a label that its user sets to the same value when the controller releases it', async () => {
    await cluster.client.apply(
      Namespace,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { tier: 'gold' } } },
      { fieldManager: 'user', force: false },
      AbortSignal.timeout(5_000),
    )
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': null } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', tier: 'gold' })
    expect(await managers()).not.toContain('operator/namespaces+self')
    expect(await asked(600_000)).toEqual([])
  })

  it('loses its undeclared label after a restart of the operator, also with a version that contributes nothing', async () => {
    await operator.stop()
    operator = cluster.run(defineController(Namespace, { owns: [], finalizer: false, desired: () => {} }))
    await cluster.advance(60_000)
    expect(await labels()).toEqual({ team: 'a' })
    expect(await asked(600_000)).toEqual([])
    expect(forbidden()).toEqual([])
  })

  it('is compared with the declaration by diff', async () => {
    const options = {
      client: cluster.client,
      clock: cluster.clock,
      secrets: seededSecrets(1),
      identity: identityOf('operator'),
      controller: tiers,
    }
    const steps = async () => {
      const live = (await cluster.find(Namespace, 'shop')) as LiveObject // It was created.
      const plan = await loadLivePlan(options, live, AbortSignal.timeout(5_000))
      return plan.kind === 'planned' ? plan.steps.map((step) => ('changes' in step ? step.changes : step)) : plan
    }
    expect(await steps()).toEqual([])
    await operator.stop()
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': 'free' } } })
    expect(await steps()).toMatchObject([[{ kind: 'change', desired: 'free', live: 'gold' }]])
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': null } } })
    expect(await steps()).toMatchObject([[{ kind: 'remove', live: 'gold' }]])
    const metadata = {
      name: 'new',
      uid: 'of a dry run',
      resourceVersion: '',
      annotations: { 'example.com/tier': 'free' },
    }
    const planned = await loadLivePlan(
      options,
      { apiVersion: 'v1', kind: 'Namespace', metadata },
      AbortSignal.timeout(5_000),
    )
    expect(planned).toMatchObject({
      steps: [{ kind: 'change', ref: { name: 'new' }, changes: [{ kind: 'add', desired: 'free' }] }],
    })
  })

  it.each([
    ['reads the metadata alone', { metadataOnly: true }],
    ['keeps a part of it', { keep: ({ spec: _, ...object }: LiveObject) => object as LiveObject }],
  ])('is labelled by a controller that %s', async (_, over) => {
    await restart({ ...tiers, ...over } as Controller)
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': 'free' } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', tier: 'free' })
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': null } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a' })
    expect(await asked(600_000)).toEqual([])
  })

  it('has the labels of several controllers, each of which sees those of the others', async () => {
    const copies = selfController(
      Namespace,
      ({ object }) => ({ metadata: { labels: { copy: object.metadata.labels?.['tier'] ?? 'none' } } }),
      { name: 'copies' },
    )
    await operator.stop()
    operator = cluster.run(tiers, copies)
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', tier: 'gold', copy: 'gold' })
    await cluster.patch(Namespace, 'shop', { metadata: { annotations: { 'example.com/tier': null } } })
    await cluster.advance(10_000)
    expect(await labels()).toEqual({ team: 'a', copy: 'none' })
    expect(await asked(600_000)).toEqual([])
  })

  it.each([
    ['changes', 'mine'],
    ['removes', null],
  ])('pauses when another writer %s the label repeatedly', async (_, value) => {
    for (let round = 0; round < 10; round++) {
      await cluster.patch(Namespace, 'shop', { metadata: { labels: { tier: value } } })
      await cluster.advance(1_000)
    }
    const accepted = cluster.requests().filter((request) => isWrite(request) && request.code === 200)
    // The first apply, and three that restore the label.
    expect(accepted.filter(({ resource }) => resource === 'namespaces')).toHaveLength(4)
    const events = (await cluster.list(Event)) as readonly (LiveObject & { reason?: string; note?: string })[]
    const notes = Map.groupBy(events, ({ reason }) => reason)
    const fights = notes.get('NotConverging')?.map(({ note }) => note)
    expect(fights).toEqual([
      expect.stringMatching(
        value === null
          ? /keeps being changed back at metadata\.labels\.tier by perhaps test/
          : /keeps being changed back at metadata\.labels\.tier by test;/,
      ),
    ])
    const taken = notes.get('FieldsTakenBack')?.map(({ note }) => note)
    expect(taken).toEqual(
      value === null ? undefined : [expect.stringContaining('took back metadata.labels.tier from "test"')],
    )
  })
})

describe('a ConfigMap whose controller contributes to it', () => {
  const data = async (name = 'a') => (await cluster.find(ConfigMap, name))?.['data']
  const make = async (values: Readonly<Record<string, string>>, name = 'a') => {
    await cluster.create(ConfigMap, { metadata: { name, labels: { managed: 'yes' } }, data: values })
    await cluster.advance(10_000)
  }
  const only = { labelSelector: 'managed=yes' }

  it('has the contributed data, in every namespace, and loses it again', async () => {
    const sums = selfController(
      ConfigMap,
      ({ object }) => {
        const { left, right } = object['data'] as Readonly<Record<string, string>> // Data of a ConfigMap.
        return left === undefined ? undefined : { data: { sum: String(Number(left) + Number(right)) } }
      },
      only,
    )
    await start(sums)
    await make({ left: '1', right: '2' })
    expect(await data()).toEqual({ left: '1', right: '2', sum: '3' })
    await cluster.patch(ConfigMap, 'a', { data: { left: '5' } })
    await cluster.advance(10_000)
    expect(await data()).toEqual({ left: '5', right: '2', sum: '7' })
    expect(await asked(600_000)).toEqual([])
    await restart(sums)
    expect(await writesDuring(600_000)).toEqual([])
    await cluster.patch(ConfigMap, 'a', { data: { left: null } })
    await cluster.advance(10_000)
    expect(await data()).toEqual({ right: '2' })
    expect(await asked(600_000)).toEqual([])
    await cluster.delete(ConfigMap, 'a')
    expect(await data()).toBeUndefined()
    expect(forbidden()).toEqual([])
  })

  it('keeps a declared default while the resource has no value of its own', async () => {
    const key = 'example.com/class'
    const defaults = selfController(
      ConfigMap,
      ({ object }) =>
        object.metadata.annotations?.[key] === undefined
          ? { metadata: { annotations: { [key]: 'basic' } } }
          : undefined,
      only,
    )
    await start(defaults)
    await make({})
    const value = async () => (await cluster.find(ConfigMap, 'a'))?.metadata.annotations?.[key]
    expect(await value()).toBe('basic')
    expect(await asked(600_000)).toEqual([])
    await cluster.patch(ConfigMap, 'a', { metadata: { annotations: { [key]: 'fine' } } })
    await cluster.advance(10_000)
    expect(await value(), 'of the user').toBe('fine')
    expect(await asked(600_000)).toEqual([])
  })

  it('is not written indefinitely by a controller whose facts depend on its contribution', async () => {
    const key = 'example.com/count'
    const counts = selfController(
      ConfigMap,
      ({ facts }) => ({ metadata: { annotations: { [key]: String((facts as number) + 1) } } }),
      { ...only, observe: async ({ object }) => Number(object.metadata.annotations?.[key] ?? 0) },
    )
    await start(counts)
    await make({})
    expect(await writesDuring(240_000)).toEqual([])
    expect(cluster.requests().filter(({ verb }) => verb === 'patch').length).toBeLessThanOrEqual(21)
  })

  it('is in sync with an empty declaration', async () => {
    await start(selfController(ConfigMap, () => ({}), only))
    await make({})
    expect(cluster.requests().filter(isWrite)).toEqual([])
  })

  it('gets contributions of other resources of the controller, too', async () => {
    const controller = selfController(ConfigMap, () => ({ data: { own: 'x' } }), {
      ...only,
      desired: (chart, { object }) => {
        const { name } = object.metadata
        const fields = { metadata: { name: 'a' }, data: { [`from-${name}`]: 'x' } }
        contribute(addObject(chart, objectOf(ConfigMap, fields)))
      },
    })
    await start(controller)
    for (const name of ['a', 'b']) await make({}, name)
    expect(await data()).toEqual({ 'from-a': 'x', 'from-b': 'x' })
    expect(await asked(600_000)).toEqual([])
    await restart(controller)
    expect(await writesDuring(600_000)).toEqual([])
  })

  it('may have children besides', async () => {
    const controller = defineController(ConfigMap, {
      ...only,
      owns: [Secret],
      watches: [
        {
          resource: ConfigMap,
          contributes: true,
          keysFor: ({ metadata: { namespace, name } }) => [keyFor(namespace, name)],
        },
      ],
      desired: (chart, { object: { metadata } }) => {
        contribute(addObject(chart, objectOf(ConfigMap, { metadata: { name: metadata.name }, data: { own: 'x' } })))
        return [objectOf(Secret, { metadata: { name: metadata.name } })]
      },
    })
    await start(controller)
    await make({})
    expect([await data(), (await cluster.find(Secret, 'a'))?.metadata.name]).toEqual([{ own: 'x' }, 'a'])
    expect(await asked(600_000)).toEqual([])
    await cluster.delete(ConfigMap, 'a')
    await cluster.advance(30_000)
    expect([await data(), await cluster.find(Secret, 'a')]).toEqual([undefined, undefined])
    expect(forbidden()).toEqual([])
  })

  it('is no child of itself', async () => {
    await start(
      defineController(ConfigMap, {
        ...only,
        owns: [ConfigMap],
        finalizer: false,
        desired: (_, { object }) => [objectOf(ConfigMap, { metadata: { name: object.metadata.name } })],
      }),
    )
    await make({})
    expect(
      cluster
        .requests()
        .filter(isWrite)
        .map(({ resource }) => resource),
    ).toEqual(['events'])
  })
})

describe('a resource with a status', () => {
  const Task = defineResource<{ readonly size?: string }, StatusWithConditions>({
    ...{ group: 'example.com', version: 'v1', kind: 'Task' },
    ...{ plural: 'tasks', scope: 'Namespaced' },
  })
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'tasks.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Task', plural: 'tasks' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { size: { type: 'string' } } },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  }

  it.each([true, false])(
    'may get spec and labels from its controller, and reports (finalizer: %s)',
    async (finalizer) => {
      const controller = defineController(Task, {
        owns: [],
        watches: [{ resource: Task, contributes: true, keysFor: () => [] }],
        finalizer,
        desired: (chart, { object: { metadata } }) => {
          const fields = { metadata: { name: metadata.name, labels: { sized: 'yes' } }, spec: { size: 'big' } }
          contribute(addObject(chart, objectOf(Task, fields)))
        },
        status: () => ({ fields: {}, conditions: [] }),
      })
      await start(controller, [definition])
      await cluster.create(Task, { metadata: { name: 'a' }, spec: {} })
      await cluster.advance(60_000)
      const task = await cluster.find(Task, 'a')
      expect(task).toMatchObject({ spec: { size: 'big' }, metadata: { labels: { sized: 'yes' } } })
      expect(await cluster.condition(Task, 'a', 'Ready')).toMatchObject({
        status: 'True',
        observedGeneration: task?.metadata.generation,
      })
      expect(await asked(600_000)).toEqual([])
      await restart(controller)
      expect(await writesDuring(600_000)).toEqual([])
      await cluster.delete(Task, 'a')
      await cluster.advance(30_000)
      expect(await cluster.find(Task, 'a')).toBeUndefined()
      expect(forbidden()).toEqual([])
    },
  )
})

it('the log names the fields that a first contribution adds', async () => {
  const lines: { readonly actions?: readonly string[] }[] = []
  const write = (text: string) => void lines.push(JSON.parse(text))
  const log = createLogger({ clock: new SimClock(), destination: { write } })
  cluster = await startCluster({ instruments: { ...silentInstruments, log } })
  cluster.run(selfController(Namespace, () => ({ metadata: { labels: { tier: 'gold' } } })))
  await cluster.create(Namespace, { metadata: { name: 'shop', labels: { tier: 'free' } } })
  await cluster.create(Namespace, { metadata: { name: 'plain' } })
  await cluster.advance(10_000)
  const actions = lines.flatMap((line) => line.actions ?? [])
  expect(actions).toContain('change Namespace shop: metadata.labels.tier: "free" → "gold"')
  expect(actions).toContain('change Namespace plain: metadata.labels.tier: added "gold"')
})
