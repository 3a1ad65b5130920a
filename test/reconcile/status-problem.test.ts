// A status that cannot be built or written. The runtime's part is written nevertheless: an old Ready=True never stays.
import { describe, expect, it } from 'vitest'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { StatusWithConditions } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { rejectedStatusProblem, reportProblem } from '../../src/reconcile/status-problem.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster } from '../../src/testing/index.ts'
import { at } from '../model-api.ts'
import { Site, siteController, World } from './life.ts'

const condition = { type: 'Open', status: 'True', reason: 'Opened', message: '' }
const event = { type: 'Normal', reason: 'Opened', action: 'Open', note: '' }
const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
const conditions = (over: object) => ({ fields: {}, conditions: [{ ...condition, ...over }] })

describe('a status report', () => {
  it.each([
    ['all parts', { fields: { a: [1, { b: null }], c: 2n }, conditions: [condition], events: [event], dueAtMs: [1] }],
    ['nothing', {}],
    ['parts that are left out', { fields: undefined, conditions: undefined, events: undefined, dueAtMs: undefined }],
    ['a field that is left out', { fields: { a: undefined } }],
  ])('with %s has no problem', (_, report) => {
    expect(reportProblem(report)).toBeUndefined()
  })

  it.each([
    ['no object', null, 'it returned no object; return { fields, conditions }'],
    ['a promise', Promise.resolve({}), 'it returned a promise; gather facts in observe'],
    ['fields in a list', { fields: [] }, 'fields is no object; return the fields of the status'],
    [
      'a cyclic field',
      { fields: { phase: cyclic } },
      /^fields: \/phase\/self.* is more than 100 levels deep, or contains itself/,
    ],
    [
      'a number that is none',
      { fields: { a: { b: Number.NaN } } },
      'fields: /a/b is NaN, which JSON cannot hold; give it as a plain JSON value',
    ],
    ['a date', { fields: { a: [new Date(0)] } }, 'fields: /a/0 is an instance of Date; give it as a plain JSON value'],
    ['conditions in a map', { conditions: {} }, 'conditions is no list; return a list, which may be empty'],
    [
      'a condition that is none',
      { conditions: [null] },
      'conditions[0] is no object; return { type, status, reason, message }',
    ],
    ['a condition without a type', conditions({ type: '' }), 'conditions[0] has no text as type; return one'],
    [
      'a condition without a message',
      conditions({ message: undefined }),
      'conditions[0] (Open) has no text as message; return one',
    ],
    [
      'a condition without a reason',
      conditions({ reason: 5 }),
      'conditions[0] (Open) has no text as reason; return one',
    ],
    [
      'a condition of another status',
      conditions({ status: 'maybe' }),
      'conditions[0].status is neither True, False nor Unknown; return one of them',
    ],
    [
      'an event that is none',
      { events: [event, undefined] },
      'events[1] is no object; return { type, reason, action, note }',
    ],
    ['times in texts', { dueAtMs: ['x'] }, 'dueAtMs is no list of numbers; return milliseconds since the epoch'],
  ])('with %s names the problem', (_, report, problem) => {
    const found = reportProblem(report)
    if (typeof problem === 'string') expect(found).toBe(problem)
    else expect(found).toMatch(problem)
  })

  it('that the API server rejects names the fields', () => {
    const cause = { reason: 'FieldValueNotSupported', message: 'Unsupported value', field: 'status.phase' }
    const error = new KubeError({ code: 'Invalid', message: 'Site "a" is invalid', causes: [cause, cause] })
    expect(rejectedStatusProblem(error)).toBe(
      'the API server rejects it because of status.phase: Site "a" is invalid; correct the function or the CRD',
    )
  })
})

describe('a status function that throws', () => {
  it('is called again with backoff, counts as StatusFailed, and needs no event to recover', async () => {
    let [isBroken, calls] = [true, 0]
    const metrics = new PrometheusMetrics()
    const world = new World({ metrics })
    world.addSite('a')
    const controller = siteController({
      status: ({ children }) => {
        calls++
        if (isBroken) throw new Error('boom')
        return { fields: { pages: children.length }, conditions: [] }
      },
    })
    await world.live(controller)
    expect(world.conditions()).toMatchObject({ Ready: 'False/StatusFailed', Reconciling: 'True/Retrying' })
    world.api.requests.length = 0
    calls = 0
    await world.clock.advance(1_800_000)
    expect(calls).toBeGreaterThan(1_800 / 300)
    expect(calls).toBeLessThan(6 + 1_800 / 150)
    expect(world.api.requests).toEqual([])
    const [, count] = /reconciliation_errors_total\{.*reason="StatusFailed"\} (\d+)/.exec(await metrics.text()) ?? []
    expect(Number(count)).toBeGreaterThanOrEqual(calls)
    isBroken = false
    await world.clock.advance(300_000)
    expect(world.conditions()).toMatchObject({ Ready: 'True/Settled' })
  })
})

describe('a status that cannot be built', () => {
  /** Controller whose status function returns this value once the page is `broken`. */
  const breaking = (broken: unknown) =>
    siteController({
      status: ({ object, children }) => {
        const report = { fields: { pages: children.length }, conditions: [] }
        return object.spec.page === 'broken' ? (broken as typeof report) : report
      },
    })

  it.each([
    [
      'a condition without a message',
      conditions({ message: undefined }),
      'conditions[0] (Open) has no text as message',
    ],
    ['a condition that is none', { fields: {}, conditions: [null] }, 'conditions[0] is no object'],
    ['a cyclic field', { fields: cyclic, conditions: [] }, 'contains itself'],
    ['an event that is none', { fields: {}, conditions: [], events: [null] }, 'events[0] is no object'],
  ])('for %s is StatusFailed, names the problem, and keeps its fields', async (_, broken, problem) => {
    const world = new World()
    world.addSite('a')
    await world.live(breaking(broken))
    expect(world.conditions()).toMatchObject({ Ready: 'True/Settled' })
    world.api.edit(Site, 'default/a', { spec: { page: 'broken' } })
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/StatusFailed', Degraded: 'True/StatusFailed' })
    expect(world.message('Ready')).toContain(problem)
    expect(at(world.site(), 'status')).toMatchObject({ pages: 2, observedGeneration: 2 })
    world.api.requests.length = 0
    await world.clock.advance(240_000)
    expect(world.api.requests).toEqual([])
    world.api.edit(Site, 'default/a', { spec: { page: 'right' } })
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: 'True/Settled' })
  })

  it('reports the rejection of a resource, whatever its status function returns', async () => {
    const world = new World()
    world.addSite('a')
    const { status } = breaking({ conditions: [null] })
    const refuse = ({ object }: { readonly object: { readonly spec: { readonly page: string } } }) =>
      object.spec.page === 'broken' ? { reason: 'Broken', message: undefined as unknown as string } : undefined
    await world.live(siteController({ validate: refuse, status: status as never }))
    world.api.edit(Site, 'default/a', { spec: { page: 'broken' } })
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: expect.stringMatching(/^False/) })
  })

  it('reports a pause, whatever observePaused returns', async () => {
    const world = new World()
    world.addSite('a', { page: 'broken' })
    const observePaused = async () => [{ type: 'Open', status: 'True', reason: 'Opened' } as never]
    await world.live(siteController({ isSuspended: ({ spec }) => spec.page === 'broken', observePaused }))
    expect(world.conditions()).toMatchObject({ Paused: 'True/Paused' })
  })
})

describe('a status that the API server rejects', () => {
  interface ShopStatus extends StatusWithConditions {
    readonly phase?: string
  }
  const Shop = defineResource<{ readonly phase: string }, ShopStatus>({
    group: 'example.com',
    version: 'v1',
    kind: 'Shop',
    plural: 'shops',
    scope: 'Namespaced',
  })
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const statusSchema = { ...open, properties: { phase: { type: 'string', enum: ['Up', 'Down'] } } }
  const openAPIV3Schema = { type: 'object', properties: { spec: open, status: statusSchema } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Shop', listKind: 'ShopList', plural: 'shops', singular: 'shop' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  }
  const shops = defineController(Shop, {
    owns: [ConfigMap],
    desired: () => {},
    status: ({ object }) => ({ fields: { phase: object.spec.phase }, conditions: [] }),
  })

  it('is StatusFailed, names the field, and is retried every five minutes', async () => {
    await using cluster = await startCluster({ definitions: [definition] })
    cluster.run(shops)
    await cluster.create(Shop, { metadata: { name: 'a' }, spec: { phase: 'Up' } })
    await cluster.settle()
    expect(await cluster.condition(Shop, 'a', 'Ready')).toMatchObject({ status: 'True' })
    await cluster.patch(Shop, 'a', { spec: { phase: 'Sideways' } })
    await cluster.settle()
    const ready = await cluster.condition(Shop, 'a', 'Ready')
    expect(ready).toMatchObject({ status: 'False', reason: 'StatusFailed', observedGeneration: 2 })
    expect(ready?.message).toContain('the API server rejects it because of status.phase')
    expect(await cluster.find(Shop, 'a')).toMatchObject({ status: { phase: 'Up' } })
    const patches = (await cluster.requestsDuring(1_800_000)).filter(({ verb }) => verb === 'patch')
    expect(patches.length).toBeGreaterThan(3)
    expect(patches.length).toBeLessThan(8)
    await cluster.patch(Shop, 'a', { spec: { phase: 'Down' } })
    await cluster.settle()
    expect(await cluster.condition(Shop, 'a', 'Ready')).toMatchObject({ status: 'True' })
  })
})
