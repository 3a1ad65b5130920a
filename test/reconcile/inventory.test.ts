import { describe, expect, it } from 'vitest'
import { ConfigMap, Deployment, Service } from '../../src/object/built-in.ts'
import { identityOf } from '../../src/object/identity.ts'
import type { LiveObject } from '../../src/object/object.ts'
import {
  coveringMarks,
  foreignInventory,
  inventoryOf,
  joined,
  reachOf,
  recordedReach,
  settledMarks,
} from '../../src/reconcile/inventory.ts'
import { labelsProblem } from '../../src/synth/metadata-rules.ts'
import { live } from '../objects.ts'
import { siteController } from './life.ts'

const site = (name: string, namespace = 'default', uid = 'u') =>
  live({ apiVersion: 'example.dev/v1', kind: 'Site', metadata: { name, namespace, uid } })
const shop = identityOf('shop')
const idOf = (parent: ReturnType<typeof site>) => inventoryOf(parent, siteController(), shop)?.labels ?? {}

describe('the inventory of a parent', () => {
  it('names the kinds of its children in ApplySet form, sorted, in any order of declaration', () => {
    for (const owns of [
      [Service, Deployment, ConfigMap],
      [Deployment, ConfigMap, Service],
    ])
      expect(inventoryOf(site('a'), siteController({ owns }), shop)?.annotations).toEqual({
        'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v1',
        'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Deployment.apps,Service',
      })
  })

  it('has an id that is derived from name and namespace, and is a valid label', () => {
    const labels = idOf(site('a'))
    expect(labels).toEqual(idOf(site('a', 'default', 'another uid')))
    expect(labelsProblem(labels)).toBeUndefined()
    for (const other of [site('b'), site('a', 'elsewhere')]) expect(idOf(other)).not.toEqual(labels)
  })
})

describe('the reach of an inventory', () => {
  const annotated = (annotations: Record<string, string>) =>
    live({ apiVersion: 'example.dev/v1', kind: 'Site', metadata: { name: 'a', annotations } })

  it('is read back as it was written', () => {
    const reach = { kinds: ['ConfigMap', 'Deployment.apps'], namespaces: [] }
    const { annotations } = coveringMarks(site('a'), reach, shop)
    const written = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, value ?? '']))
    expect(recordedReach(annotated(written))).toEqual(reach)
  })

  it('is empty without records, and accepts any order of other writers', () => {
    expect(recordedReach(live())).toEqual({ kinds: [], namespaces: [] })
    const odd = annotated({ 'applyset.kubernetes.io/contains-group-kinds': 'Service,,ConfigMap,Service' })
    expect(recordedReach(odd).kinds).toEqual(['ConfigMap', 'Service'])
  })

  it('reads the namespaces from the recorded remote children, and none from the annotation that users can edit', () => {
    const edited = annotated({ 'applyset.kubernetes.io/additional-namespaces': 'theirs' })
    expect(recordedReach(edited).namespaces).toEqual([])
    const far = { kind: 'Secret', namespace: 'far', name: 's', tokenDigest: 'd' }
    const disk = { kind: 'StorageClass.storage.k8s.io', name: 'disk', tokenDigest: 'd' }
    const recorded: LiveObject = { ...edited, status: { inventory: [far, disk, { ...far, name: 't' }] } }
    expect(recordedReach(recorded).namespaces).toEqual(['far'])
  })

  it('reads at most 32 kinds, and only valid names of kinds', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `Kind${at}`).join(',')
    const edited = annotated({ 'applyset.kubernetes.io/contains-group-kinds': `%%%,../x,A b,${many}` })
    expect(recordedReach(edited).kinds).toHaveLength(32)
    expect(recordedReach(edited).kinds.every((kind) => kind.startsWith('Kind'))).toBe(true)
  })

  it('keeps the kinds that were recorded before', () => {
    const parent = annotated({ 'applyset.kubernetes.io/contains-group-kinds': 'Secret' })
    expect(inventoryOf(parent, siteController({ owns: [ConfigMap] }), shop)?.annotations).toMatchObject({
      'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Secret',
    })
  })

  it('for objects has their kinds, and their namespaces except the parent’s', () => {
    const objects = [
      live({ metadata: { namespace: 'b' } }),
      live({ metadata: { namespace: 'default' } }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
    ]
    expect(reachOf(site('a'), objects)).toEqual({ kinds: ['ConfigMap', 'Namespace'], namespaces: ['b'] })
  })

  it('is joined without duplicates', () => {
    const [one, two] = [
      { kinds: ['B', 'C'], namespaces: [] },
      { kinds: ['A', 'C'], namespaces: ['x'] },
    ]
    expect(joined(one, two)).toEqual({ kinds: ['A', 'B', 'C'], namespaces: ['x'] })
  })

  it.each([
    { tooling: undefined, isForeign: false },
    { tooling: 'konverge.dev/shop/v0', isForeign: false },
    { tooling: 'konverge/v1', isForeign: false },
    { tooling: 'konverge.dev/shops/v1', isForeign: true },
    { tooling: 'konverge.dev/konverge/v1', isForeign: true },
    { tooling: 'shop/v1', isForeign: true },
    { tooling: 'konverge.dev/shop', isForeign: true },
    { tooling: 'kubectl/v1.36', isForeign: true },
    { tooling: '', isForeign: true },
  ])('with the tool $tooling belongs to another tool: $isForeign', ({ tooling, isForeign }) => {
    const parent = annotated(tooling === undefined ? {} : { 'applyset.kubernetes.io/tooling': tooling })
    expect(foreignInventory(parent, shop)).toEqual(
      isForeign ? expect.objectContaining({ code: 'ForeignInventory', remedy: 'stop' }) : undefined,
    )
  })

  it('from another operator is rejected with the name of both and a remedy', () => {
    const parent = annotated({ 'applyset.kubernetes.io/tooling': 'konverge.dev/cafe/v1' })
    expect(foreignInventory(parent, shop)?.message).toBe(
      'Site default/a is managed by "konverge.dev/cafe/v1", and one tool or operator manages a resource: stop that one, then remove the annotation applyset.kubernetes.io/tooling to hand the resource to konverge.dev/shop',
    )
  })

  it('from an earlier version keeps its metadata until its children are settled', () => {
    const parent = annotated({ 'applyset.kubernetes.io/tooling': 'konverge/v1' })
    const reach = { kinds: ['ConfigMap'], namespaces: [] }
    expect(coveringMarks(parent, reach, shop)).toMatchObject({
      finalizer: 'konverge.dev/cleanup',
      annotations: { 'applyset.kubernetes.io/tooling': 'konverge/v1' },
    })
    expect(settledMarks(parent, reach, shop)).toMatchObject({
      finalizer: 'konverge.dev/shop',
      annotations: { 'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v1' },
    })
  })

  it.each([
    ['new', {}, 'eu'],
    ['of an operator without shards', { 'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v1' }, 'eu:taking-over'],
    [
      'being taken over',
      { 'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v1', 'konverge.dev/shard': 'eu:taking-over' },
      'eu:taking-over',
    ],
    ['of the shard', { 'applyset.kubernetes.io/tooling': 'konverge.dev/shop/v1', 'konverge.dev/shard': 'eu' }, 'eu'],
  ])('that is %s records the progress of its shard', (_, annotations, mark) => {
    const eu = identityOf('shop', 'eu')
    const reach = { kinds: ['ConfigMap'], namespaces: [] }
    expect(coveringMarks(annotated(annotations), reach, eu).annotations['konverge.dev/shard']).toBe(mark)
    expect(settledMarks(annotated(annotations), reach, eu).annotations['konverge.dev/shard']).toBe('eu')
    expect(coveringMarks(annotated(annotations), reach, shop).annotations).not.toHaveProperty(['konverge.dev/shard'])
  })
})
