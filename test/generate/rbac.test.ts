import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DeclaredKinds, type PolicyRule, rightsOf } from '../../src/generate/rbac.ts'
import { ConfigMap, Namespace, Pod, Secret, Service, StatefulSet, StorageClass } from '../../src/object/built-in.ts'
import { defineResource, type Resource } from '../../src/object/resource.ts'

const kind = (name: string, scope: Resource['scope']) =>
  defineResource({ group: 'example.com', version: 'v1', kind: name, plural: `${name.toLowerCase()}s`, scope })
const Site = kind('Site', 'Namespaced')
const Fleet = kind('Fleet', 'Cluster')

interface Given {
  readonly resource?: Resource
  readonly owns?: readonly Resource[]
  readonly watches?: readonly Resource[]
  readonly reads?: DeclaredKinds['reads']
  readonly retired?: DeclaredKinds['retired']
}

const declared = ({
  resource = Site,
  owns = [],
  watches = [],
  reads = [],
  retired = [],
}: Given = {}): DeclaredKinds => ({
  resource,
  owns: owns.map((owned) => ({ resource: owned })),
  watches: watches.map((watched) => ({ resource: watched })),
  reads,
  retired,
})
const rights = (...controllers: readonly DeclaredKinds[]) => rightsOf({ name: 'konverge', controllers })

/** `apps/statefulsets get,list`, one line for each rule. */
const linesOf = (rules: readonly PolicyRule[]) =>
  rules.map(({ apiGroups, resources, verbs }) => `${apiGroups.join()}/${resources.join()} ${verbs.join()}`)

describe('the rights of an operator', () => {
  it('without children are to read and mark its own kind, write its status, and emit Events', () => {
    const { namespaced, cluster } = rights(declared())
    expect(linesOf(namespaced)).toEqual([
      'events.k8s.io/events create,patch',
      'example.com/sites get,list,watch,patch',
      'example.com/sites/status patch',
    ])
    expect(cluster).toEqual([])
  })

  it('include those that authors declare, of controllers, of runnables and of the program', () => {
    const { namespaced, cluster } = rightsOf({
      name: 'konverge',
      controllers: [
        { ...declared(), rights: [{ resource: StatefulSet, subresource: 'scale', verbs: ['patch', 'get'] }] },
      ],
      runnables: [{ rights: [{ resource: ConfigMap, verbs: ['create', 'patch'] }] }, {}],
      rights: [
        { resource: ConfigMap, verbs: ['list'] },
        { resource: StorageClass, verbs: ['get'] },
      ],
    })
    expect(linesOf(namespaced)).toEqual([
      '/configmaps list,create,patch',
      'apps/statefulsets/scale get,patch',
      'events.k8s.io/events create,patch',
      'example.com/sites get,list,watch,patch',
      'example.com/sites/status patch',
    ])
    expect(linesOf(cluster)).toEqual(['storage.k8s.io/storageclasses get'])
  })

  it('follow from the use of each kind: owned, watched or read', () => {
    const { namespaced, cluster } = rights(
      declared({
        owns: [Service, StatefulSet],
        watches: [Pod, StorageClass],
        reads: [
          { resource: Secret, isListed: false },
          { resource: ConfigMap, isListed: true },
        ],
      }),
    )
    expect(linesOf(namespaced)).toEqual([
      '/configmaps get,list',
      '/pods list,watch',
      '/secrets get',
      '/services get,list,watch,create,patch,delete',
      'apps/statefulsets get,list,watch,create,patch,delete',
      'events.k8s.io/events create,patch',
      'example.com/sites get,list,watch,patch',
      'example.com/sites/finalizers update',
      'example.com/sites/status patch',
    ])
    expect(linesOf(cluster)).toEqual(['storage.k8s.io/storageclasses list,watch'])
  })

  it('include the deletions of a repair, and no other writes to watched kinds', () => {
    const controller = { ...declared(), watches: [{ resource: Pod, repairMayDelete: true }, { resource: Secret }] }
    expect(linesOf(rights(controller).namespaced).slice(0, 2)).toEqual([
      '/pods list,watch,delete',
      '/secrets list,watch',
    ])
  })

  it('for triggers by metadata are list and watch; get requires a declared read', () => {
    const controller = { ...declared(), watches: [{ resource: Secret, metadataOnly: true }] }
    expect(linesOf(rights(controller).namespaced)).toContain('/secrets list,watch')
    const reading = { ...controller, reads: [{ resource: Secret, isListed: false }] }
    expect(linesOf(rights(reading).namespaced)).toContain('/secrets get,list,watch')
  })

  it('include patch for contributions, and never create', () => {
    const controller = { ...declared(), watches: [{ resource: Pod, contributes: true }, { resource: Secret }] }
    expect(linesOf(rights(controller).namespaced)).toContain('/pods get,list,watch,patch')
  })

  it('include get and delete for retired kinds', () => {
    const { namespaced } = rights(declared({ owns: [Service], retired: [ConfigMap, Service] }))
    expect(linesOf(namespaced).slice(0, 2)).toEqual([
      '/configmaps list,delete',
      '/services get,list,watch,create,patch,delete',
    ])
  })

  it('merge the needs of several controllers for one kind into one rule', () => {
    const { namespaced } = rights(
      declared({ owns: [ConfigMap, Service] }),
      declared({ resource: kind('Shop', 'Namespaced'), watches: [ConfigMap, Site], owns: [Secret] }),
    )
    expect(linesOf(namespaced)).toEqual([
      '/configmaps,secrets,services get,list,watch,create,patch,delete',
      'events.k8s.io/events create,patch',
      'example.com/shops,sites get,list,watch,patch',
      'example.com/shops/finalizers,sites/finalizers update',
      'example.com/shops/status,sites/status patch',
    ])
  })

  it('separate namespaced and cluster-scoped kinds, and cover Events in any namespace for the latter', () => {
    const { namespaced, cluster } = rights(declared({ resource: Fleet, owns: [Namespace, Service] }), declared())
    expect(linesOf(namespaced)).toEqual([
      '/services get,list,watch,create,patch,delete',
      'example.com/sites get,list,watch,patch',
      'example.com/sites/status patch',
    ])
    expect(linesOf(cluster)).toEqual([
      '/namespaces get,list,watch,create,patch',
      'events.k8s.io/events create,patch',
      'example.com/fleets get,list,watch,patch',
      'example.com/fleets/finalizers update',
      'example.com/fleets/status patch',
    ])
  })

  it('name the one Lease of the operator in its own namespace', () => {
    expect(rights(declared()).home).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['konverge'],
        verbs: ['get', 'patch'],
      },
    ])
    const { home } = rightsOf({ name: 'konverge', controllers: [], leaseName: 'shard-2' })
    expect(home.map(({ resourceNames }) => resourceNames)).toEqual([undefined, ['shard-2']])
    const { home: ofMembers } = rightsOf({ name: 'konverge', controllers: [], isSharded: true })
    expect(ofMembers).toEqual([
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['get', 'list', 'create', 'patch', 'delete'],
      },
    ])
  })
})

const anyKind = fc.constantFrom<Resource>(ConfigMap, Namespace, Pod, Secret, Service, StatefulSet, StorageClass, Site)
const anyController = fc
  .record({
    resource: fc.constantFrom(Site, Fleet),
    owns: fc.array(anyKind),
    watches: fc.array(anyKind),
    reads: fc.array(fc.record({ resource: anyKind, isListed: fc.boolean() })),
    retired: fc.array(anyKind),
  })
  .map(declared)

describe('the rights of an operator with children in another cluster', () => {
  const controllers = [
    {
      ...declared({ owns: [ConfigMap, Namespace], reads: [{ resource: Secret, isListed: false }], retired: [Service] }),
      childrenIn: 'edge',
    },
    { ...declared({ resource: Fleet, owns: [StatefulSet] }), childrenIn: 'west' },
  ]
  const identity = '/namespaces get'

  it('exclude the children in its own cluster, except the identity of the cluster', () => {
    const { namespaced, cluster } = rightsOf({ name: 'konverge', controllers })
    expect(linesOf(namespaced)).toEqual([
      '/secrets get',
      'example.com/sites get,list,watch,patch',
      'example.com/sites/status patch',
    ])
    expect(linesOf(cluster)).toEqual([
      'events.k8s.io/events create,patch',
      'example.com/fleets get,list,watch,patch',
      'example.com/fleets/status patch',
      identity,
    ])
    expect(cluster.at(-1)?.resourceNames).toEqual(['kube-system'])
  })

  it('include only the children in the other cluster', () => {
    const { namespaced, cluster, home } = rightsOf({ name: 'konverge', controllers, cluster: 'edge' })
    expect(linesOf(namespaced)).toEqual(['/configmaps get,list,watch,create,patch,delete', '/services get,delete'])
    expect(linesOf(cluster)).toEqual(['/namespaces get,list,watch,create,patch', identity])
    expect(home).toEqual([])
  })
})

describe('for any controllers', () => {
  it('the rules do not depend on the order of declarations, and no right is in two rules', () => {
    fc.assert(
      fc.property(fc.array(anyController), (controllers) => {
        const reversed = controllers
          .map((one) => ({
            resource: one.resource,
            owns: one.owns.toReversed(),
            watches: one.watches.toReversed(),
            reads: one.reads.toReversed(),
            retired: one.retired.toReversed(),
          }))
          .reverse()
        expect(rights(...reversed)).toEqual(rights(...controllers))
        const { namespaced, cluster } = rights(...controllers)
        const granted = [...namespaced, ...cluster].flatMap(({ apiGroups, resources }) =>
          apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
        )
        expect(new Set(granted).size).toBe(granted.length)
      }),
    )
  })

  it('no rule has a wildcard, and only kinds that are or were owned are written', () => {
    fc.assert(
      fc.property(fc.array(anyController), (controllers) => {
        const { namespaced, cluster } = rights(...controllers)
        const rules = [...namespaced, ...cluster]
        expect(JSON.stringify(rules)).not.toContain('*')
        const ours = controllers.flatMap(({ resource, owns, retired }) => [
          resource,
          ...owns.map((owned) => owned.resource),
          ...retired,
        ])
        const isOurs = (name: string) => ours.some(({ plural }) => plural === name)
        const written = rules.filter(({ verbs }) => verbs.some((verb) => ['create', 'patch', 'delete'].includes(verb)))
        const plurals = written.flatMap(({ resources }) => resources).map((name) => name.replace(/\/.*/, ''))
        expect(plurals.filter((plural) => plural !== 'events' && !isOurs(plural))).toEqual([])
      }),
    )
  })
})
