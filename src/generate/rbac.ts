// RBAC rules of an operator. Invariant: exactly the requests that the runtime sends for the kinds that its controllers
// own, watch and read, without wildcards and spare verbs. The same controllers give the same rules, in any order.
import { keptKinds } from '../object/kept-kinds.ts'
import { groupKindOf, type Resource } from '../object/resource.ts'
import { type Right, type Verb, verbs } from '../object/right.ts'

/** A PolicyRule of rbac.authorization.k8s.io/v1. */
export interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly Verb[]
}

/** Kinds that a controller declares; every Controller is one. */
export interface DeclaredKinds {
  readonly resource: Resource
  /** True if the runtime writes its status. Default true. */
  readonly hasStatus?: boolean
  readonly owns: readonly { readonly resource: Resource }[]
  readonly watches: readonly {
    readonly resource: Resource
    readonly repairMayDelete?: boolean
    readonly contributes?: boolean
  }[]
  readonly reads: readonly { readonly resource: Resource; readonly isListed: boolean }[]
  readonly retired: readonly Resource[]
  /** Rights for the author's own requests. */
  readonly rights?: readonly Right[]
  /** Cluster of `owns` and `retired`. Default: the operator's own. */
  readonly childrenIn?: string | undefined
  /** False: retired kinds are watched. Default true. */
  readonly finalizer?: boolean
}

/** Rights of one operator, by the scope in which they are granted. */
export interface OperatorRights {
  /** On objects in namespaces: wherever the operator manages resources. */
  readonly namespaced: readonly PolicyRule[]
  /** On objects outside namespaces: these need a ClusterRole. */
  readonly cluster: readonly PolicyRule[]
  /** In the namespace of the operator itself. */
  readonly home: readonly PolicyRule[]
}

/** Input of `rightsOf`: the declarations of one operator. */
export interface OperatorNeeds {
  /** Name of the operator, as for `runOperator`. */
  readonly name: string
  readonly controllers: readonly DeclaredKinds[]
  /** As for `runOperator`. */
  readonly runnables?: readonly { readonly rights?: readonly Right[] | undefined }[] | undefined
  /** Rights for the program's use of its operator's client. Default: none. */
  readonly rights?: readonly Right[] | undefined
  /** Name of the Lease for leader election. Default: the operator's name. */
  readonly leaseName?: string | undefined
  /** True if its replicas share the resources by a hash (`sharding: { kind: 'hash' }`). Default false. */
  readonly isSharded?: boolean | undefined
  /** True if the API server authorizes readers of its metrics (`metrics: { kind: 'protected' }`). Default false. */
  readonly protectsMetrics?: boolean | undefined
  /**
   * Returns the rights in this other cluster, by the name of its connection. Default: those in the operator's own
   * cluster.
   */
  readonly cluster?: string | undefined
}

/** One resource or subresource (`pods/status`), and its verbs. */
interface Need {
  readonly scope: Resource['scope']
  readonly group: string
  readonly resource: string
  readonly verbs: readonly Verb[]
}

/**
 * Returns the rights of an operator, each resource in one rule. Linear in the kinds, except the sorting.
 *
 * @example rightsOf({ name: 'websites', controllers: [website] }).namespaced
 */
export function rightsOf({
  name,
  controllers,
  runnables = [],
  rights: own = [],
  leaseName = name,
  isSharded = false,
  protectsMetrics = false,
  cluster,
}: OperatorNeeds): OperatorRights {
  if (cluster !== undefined) return rightsIn(cluster, controllers)
  const declared = [...own, ...[...runnables, ...controllers].flatMap(({ rights = [] }) => rights)]
  const atHome = controllers.map((kinds) =>
    kinds.childrenIn === undefined ? kinds : { ...kinds, owns: [], retired: [] },
  )
  const needs = [
    ...atHome.flatMap(needsOf),
    ...declared.map((right) => need(right.resource, right.verbs, right.subresource)),
    eventsOf(controllers),
    ...(protectsMetrics ? reviews : []),
  ]
  const isElsewhere = controllers.some(({ childrenIn }) => childrenIn !== undefined)
  return { ...rightsFor(needs, isElsewhere), home: isSharded ? memberLeaseRules : leaseRules(leaseName) }
}

/** Rights in a cluster of children, which has neither Events nor a Lease of the operator. */
function rightsIn(cluster: string, controllers: readonly DeclaredKinds[]): OperatorRights {
  const there = controllers.filter(({ childrenIn }) => childrenIn === cluster)
  // The runtime reads a retired child by the name that its parent recorded.
  const retired = there.flatMap(({ retired: kinds }) => kinds.map((resource) => need(resource, ['get', 'delete'])))
  const needs = [...there.flatMap(({ owns }) => owns.map(childNeed)), ...retired]
  return { ...rightsFor(needs, there.length > 0), home: [] }
}

/** `isIdentified`: the operator reads the identity of the cluster. */
function rightsFor(needs: readonly Need[], isIdentified: boolean): Pick<OperatorRights, 'namespaced' | 'cluster'> {
  const of = (scope: Resource['scope']) => rulesOf(needs.filter((need) => need.scope === scope))
  return { namespaced: of('Namespaced'), cluster: [...of('Cluster'), ...(isIdentified ? [identity] : [])] }
}

const identity: PolicyRule = {
  apiGroups: [''],
  resources: ['namespaces'],
  resourceNames: ['kube-system'],
  verbs: ['get'],
}

/** An apply is a patch, and a create if the object does not exist yet; a read precedes the first one. */
function childNeed({ resource }: { readonly resource: Resource }): Need {
  return need(resource, ['get', 'list', 'watch', 'create', 'patch', ...(isKept(resource) ? [] : (['delete'] as const))])
}

function needsOf(controller: DeclaredKinds): readonly Need[] {
  const { resource: own, hasStatus = true, owns, watches, reads, retired, finalizer = true } = controller
  return [
    // Read again before a deletion: a cache may lag.
    need(own, ['get', 'list', 'watch', 'patch']),
    ...(hasStatus ? [need(own, ['patch'], 'status')] : []),
    // An owner reference that blocks the owner's deletion requires this with OwnerReferencesPermissionEnforcement.
    ...(owns.length === 0 ? [] : [need(own, ['update'], 'finalizers')]),
    ...owns.map(childNeed),
    ...watches.map(({ resource, repairMayDelete, contributes }) =>
      need(resource, [
        'list',
        'watch',
        ...(repairMayDelete === true ? ['delete' as const] : []),
        ...(contributes === true ? (['get', 'patch'] as const) : []),
      ]),
    ),
    ...reads.map(({ resource, isListed }) => need(resource, isListed ? ['get', 'list'] : ['get'])),
    ...retired.map((resource) => need(resource, ['list', ...(finalizer ? [] : ['watch' as const]), 'delete'])),
  ]
}

/** True for never-deleted kinds. */
function isKept(resource: Resource): boolean {
  return keptKinds.has(groupKindOf(resource))
}

/**
 * Events are in the namespace of their object. Those of a cluster-scoped object are in `default`, which may not be the
 * operator's namespace.
 */
function eventsOf(controllers: readonly DeclaredKinds[]): Need {
  const scope = controllers.some(({ resource }) => resource.scope === 'Cluster') ? 'Cluster' : 'Namespaced'
  return { scope, group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] }
}

/** Authenticate and authorize readers of metrics. */
const reviews: readonly Need[] = [
  { scope: 'Cluster', group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
  { scope: 'Cluster', group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
]

/** A create cannot be restricted to a name: it is authorized before the object is read. */
function leaseRules(leaseName: string): readonly PolicyRule[] {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  return [
    { ...leases, verbs: ['create'] },
    { ...leases, resourceNames: [leaseName], verbs: ['get', 'patch'] },
  ]
}

/**
 * Each replica has its own Lease, removes those of ended replicas, and lists all: no list can be restricted to names.
 */
const memberLeaseRules: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
]

function need({ scope, group, plural }: Resource, wanted: readonly Verb[], subresource?: string): Need {
  return { scope, group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, verbs: wanted }
}

/** Returns one rule for all resources of a group with the same verbs. */
function rulesOf(needs: readonly Need[]): readonly PolicyRule[] {
  const perResource = Map.groupBy(needs, ({ group, resource }) => `${group}/${resource}`)
  const whole = [...perResource.values()].flatMap(merged)
  const perRule = Map.groupBy(whole, (need) => `${need.group}/${need.verbs.join()}`)
  return [...perRule.values()]
    .map((alike) => ({
      apiGroups: [...new Set(alike.map(({ group }) => group))],
      resources: alike.map(({ resource }) => resource).sort(),
      verbs: alike[0]?.verbs ?? [],
    }))
    .sort((left, right) => compareTexts(sortKeyOf(left), sortKeyOf(right)))
}

function merged(needs: readonly Need[]): readonly Need[] {
  const [first] = needs
  if (first === undefined) return []
  const wanted = new Set(needs.flatMap((need) => need.verbs))
  return [{ ...first, verbs: verbs.filter((verb) => wanted.has(verb)) }]
}

function sortKeyOf({ apiGroups, resources }: PolicyRule): string {
  return `${apiGroups.join()} ${resources.join()}`
}

/** By code units, independent of locales. */
function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
