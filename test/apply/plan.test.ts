import { describe, expect, it } from 'vitest'
import { decide, identityOf, type Plan, type PlanInput, plan } from '../../src/apply/plan.ts'
import type { Comparison } from '../../src/diff/compare.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'
import type { DesiredObject } from '../../src/synth/desired.ts'
import { childOf, live, store } from '../objects.ts'

const parent = store()
const none = {
  shared: [],
  initialOnly: [],
  recreateOnChange: undefined,
  contribute: false,
  isSelf: false,
  coOwn: false,
  hold: undefined,
  readyWhen: [],
  retain: false,
}
const owner = { ownerReferences: childOf(parent, {}).metadata.ownerReferences ?? [] }
const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', ...owner },
})
const desired = (name: string, wave = 0, dependsOn: DesiredObject['dependsOn'] = []): DesiredObject => ({
  object: service(name),
  lasting: service(name),
  wave,
  dependsOn,
  policies: none,
  constructPath: name,
})
const child = (name: string, metadata = {}): LiveObject =>
  childOf(parent, { kind: 'Service', metadata: { name, ...metadata } })
const manager = 'shop/stores.example.dev'
const equal = (): Comparison => ({ kind: 'equal' })
const different = (): Comparison => ({ kind: 'different', changes: [] })
const planOf = (input: Omit<PlanInput, 'contributedTo' | 'managerOf'>) =>
  plan({ ...input, managerOf: () => manager, contributedTo: () => undefined })
const summaryOf = ({ waves }: Plan) =>
  waves.map((wave) => wave.map(({ desired: { object }, action }) => `${action.kind} ${object.metadata.name}`))

describe('a plan', () => {
  it('creates missing objects, changes different ones and leaves the rest, by wave', () => {
    const compare = ({ metadata }: KubeObject) => (metadata.name === 'b' ? different() : equal())
    const result = planOf({
      parent,
      desired: [desired('a'), desired('b'), desired('c', 1), desired('d', 1)],
      children: [child('b'), child('c')],
      compare,
    })
    expect(summaryOf(result)).toEqual([
      ['create a', 'change b'],
      ['leave c', 'create d'],
    ])
    expect(result.prune).toEqual([])
  })

  it('keeps an empty wave, so that waves keep their numbers', () => {
    expect(summaryOf(planOf({ parent, desired: [desired('a', 2)], children: [], compare: equal }))).toEqual([
      [],
      [],
      ['create a'],
    ])
  })

  it('names the dependencies that must be ready, and not those that are only applied before', () => {
    const waiting = desired('c', 1, [
      { on: [0], waitsForReady: true },
      { on: [1], waitsForReady: false },
    ])
    const { waves } = planOf({ parent, desired: [desired('a'), desired('b'), waiting], children: [], compare: equal })
    expect(waves[1]?.[0]?.waitsFor).toEqual(['Service default/a'])
  })

  it.each([
    ['waits for the database', 'Service default/a waits for the database'],
    [{ sentence: 'there is no Database crm' }, 'there is no Database crm'],
  ])('holds a step, with a sentence about the reason: %j', (hold, on) => {
    const held = { ...desired('a'), policies: { ...none, hold } }
    expect(decide({ parent, desired: held, live: undefined, compare: equal, manager })).toMatchObject({
      kind: 'hold',
      on,
    })
  })

  it('prunes children that are no longer declared', () => {
    const { prune } = planOf({ parent, desired: [desired('a')], children: [child('a'), child('old')], compare: equal })
    expect(prune.map(({ metadata }) => metadata.name)).toEqual(['old'])
  })

  it.each([
    { title: 'somebody else’s', kept: live({ kind: 'Service', metadata: { name: 'old' } }) },
    {
      title: 'a child of a namesake',
      kept: childOf(store({ metadata: { uid: 'another' } }), { kind: 'Service', metadata: { name: 'old' } }),
    },
    { title: 'on its way out', kept: child('old', { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    { title: 'retained', kept: child('old', { annotations: { 'konverge.dev/prune': 'disabled' } }) },
    { title: 'a volume claim', kept: childOf(parent, { kind: 'PersistentVolumeClaim', metadata: { name: 'old' } }) },
    { title: 'a namespace', kept: childOf(parent, { kind: 'Namespace', metadata: { name: 'old' } }) },
    {
      title: 'a CRD',
      kept: childOf(parent, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'old' },
      }),
    },
  ])('never prunes an object that is $title', ({ kept }) => {
    expect(planOf({ parent, desired: [], children: [kept], compare: equal }).prune).toEqual([])
  })

  it('treats an object of another version of its kind as the same object', () => {
    const old = childOf(parent, { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'a' } })
    const object = { ...service('a'), apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }
    const result = planOf({
      parent,
      desired: [{ ...desired('a'), object, lasting: object }],
      children: [old],
      compare: different,
    })
    expect(summaryOf(result)).toEqual([['change a']])
    expect(result.prune).toEqual([])
  })
})

describe('the decision about one object', () => {
  const inventory = { labels: { 'applyset.kubernetes.io/part-of': 'set-1' } }
  const unowned: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', ...inventory } }

  it.each([
    { title: 'creates what is not there', desired: service('a'), live: undefined, kind: 'create' },
    { title: 'refuses what has no controller', desired: service('a'), live: live({ kind: 'Service' }), kind: 'refuse' },
    {
      title: 'refuses what a namesake of the parent controls',
      desired: service('a'),
      live: childOf(store({ metadata: { uid: 'another' } }), { kind: 'Service' }),
      kind: 'refuse',
    },
    {
      title: 'refuses an object without owner reference that is in no inventory',
      desired: unowned,
      live: live({ kind: 'Namespace' }),
      kind: 'refuse',
    },
    {
      title: 'refuses an object of another inventory',
      desired: unowned,
      live: live({ kind: 'Namespace', metadata: { labels: { 'applyset.kubernetes.io/part-of': 'set-2' } } }),
      kind: 'refuse',
    },
    {
      title: 'changes an object of our inventory',
      desired: unowned,
      live: live({ kind: 'Namespace', metadata: inventory }),
      kind: 'change',
    },
    {
      title: 'leaves what is on its way out, even if it differs',
      desired: service('a'),
      live: child('a', { deletionTimestamp: 'now' }),
      kind: 'leave',
    },
  ])('$title', ({ desired: object, live: found, kind }) => {
    const item = { ...desired('a'), object, lasting: object }
    expect(decide({ parent, desired: item, live: found, compare: different, manager }).kind).toBe(kind)
  })

  it('names both sides in a rejection', () => {
    const action = decide({
      parent,
      desired: desired('a'),
      live: childOf(store({ metadata: { uid: 'x', name: 'other' } }), { kind: 'Service', metadata: { name: 'a' } }),
      compare: equal,
      manager,
    })
    expect(action).toMatchObject({ kind: 'refuse', error: { code: 'ConflictingOwner', remedy: 'retry' } })
    expect(action.kind === 'refuse' && action.error.message).toBe(
      'Service default/a exists and is controlled by ReplicatedKVStore other, not by ReplicatedKVStore default/store; delete or rename one of the two',
    )
  })
})

it('identityOf distinguishes objects by group kind, namespace and name', () => {
  expect(identityOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'n' } })).toBe(
    'Deployment.apps n/a',
  )
  expect(identityOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } })).toBe('Namespace a')
})
