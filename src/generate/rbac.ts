// Which rights does an operator need? Exactly the requests that the runtime sends for what its controllers own, watch and
// read: no wildcard, no verb in reserve. The same controllers give the same rules, in whatever order they come.
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

/** The kinds that a controller declares to deal with; every Controller is one. */
export interface DeclaredKinds {
  readonly resource: Resource
  /** Is its status written? Default true. */
  readonly hasStatus?: boolean
  readonly owns: readonly { readonly resource: Resource }[]
  readonly watches: readonly {
    readonly resource: Resource
    readonly repairMayDelete?: boolean
    readonly contributes?: boolean
  }[]
  readonly reads: readonly { readonly resource: Resource; readonly isListed: boolean }[]
  readonly retired: readonly Resource[]
  /** For the requests of its author's own. */
  readonly rights?: readonly Right[]
  /** The cluster of `owns` and `retired`. Default: the operator's own. */
  readonly childrenIn?: string | undefined
  /** False: retired kinds are watched. Default true. */
  readonly finalizer?: boolean
}

/** The rights of one operator, by the place in which they are to be granted. */
export interface OperatorRights {
  /** On objects in namespaces: wherever the operator looks after resources. */
  readonly namespaced: readonly PolicyRule[]
  /** On objects outside namespaces: these need a ClusterRole. */
  readonly cluster: readonly PolicyRule[]
  /** In the namespace in which the operator itself runs. */
  readonly home: readonly PolicyRule[]
}

export interface OperatorNeeds {
  /** The operator's, as of `runOperator`. */
  readonly name: string
  readonly controllers: readonly DeclaredKinds[]
  /** As of `runOperator`. */
  readonly runnables?: readonly { readonly rights?: readonly Right[] | undefined }[] | undefined
  /** For what the program does with the client of its operator. Default: none. */
  readonly rights?: readonly Right[] | undefined
  /** The Lease by which replicas elect their leader. Default: the operator's name, as everywhere. */
  readonly leaseName?: string | undefined
  /** Do its replicas divide the resources by a hash (`sharding: { kind: 'hash' }`)? Default false. */
  readonly isSharded?: boolean | undefined
  /** Does it ask the API server who may read its metrics (`metrics: { kind: 'protected' }`)? Default false. */
  readonly protectsMetrics?: boolean | undefined
  /** The rights in this other cluster, by the name of its connection. Default: those in the operator's own cluster. */
  readonly cluster?: string | undefined
}

/** One resource, or one subresource (`pods/status`) of it, and what is done to it. */
interface Need {
  readonly scope: Resource['scope']
  readonly group: string
  readonly resource: string
  readonly verbs: readonly Verb[]
}

/** What the operator needs, each resource in one rule. Linear in the kinds, but for the sorting. */
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

/** In a cluster of children: neither Events nor a Lease are there. */
function rightsIn(cluster: string, controllers: readonly DeclaredKinds[]): OperatorRights {
  const there = controllers.filter(({ childrenIn }) => childrenIn === cluster)
  // A retired child is read by the name that its parent recorded.
  const retired = there.flatMap(({ retired: kinds }) => kinds.map((resource) => need(resource, ['get', 'delete'])))
  const needs = [...there.flatMap(({ owns }) => owns.map(childNeed)), ...retired]
  return { ...rightsFor(needs, there.length > 0), home: [] }
}

/** `isIdentified`: does the operator ask the cluster which it is? */
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

/** An apply is a patch, and a create as well where the object does not exist yet; a look comes before the first one. */
function childNeed({ resource }: { readonly resource: Resource }): Need {
  return need(resource, ['get', 'list', 'watch', 'create', 'patch', ...(isKept(resource) ? [] : (['delete'] as const))])
}

function needsOf(controller: DeclaredKinds): readonly Need[] {
  const { resource: own, hasStatus = true, owns, watches, reads, retired, finalizer = true } = controller
  return [
    // Read once more before anything is deleted for it: a cache may be behind.
    need(own, ['get', 'list', 'watch', 'patch']),
    ...(hasStatus ? [need(own, ['patch'], 'status')] : []),
    // An owner reference that blocks the owner's deletion asks for this where OwnerReferencesPermissionEnforcement is on.
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

/** What the runtime never deletes. */
function isKept(resource: Resource): boolean {
  return keptKinds.has(groupKindOf(resource))
}

/** Events are in the namespace of what they are about; about an object without one they are in `default`, which may not be ours. */
function eventsOf(controllers: readonly DeclaredKinds[]): Need {
  const scope = controllers.some(({ resource }) => resource.scope === 'Cluster') ? 'Cluster' : 'Namespaced'
  return { scope, group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] }
}

/** Who asks for metrics, and may they? */
const reviews: readonly Need[] = [
  { scope: 'Cluster', group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
  { scope: 'Cluster', group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
]

/** A create cannot be confined to a name: it is authorized before the object is read. */
function leaseRules(leaseName: string): readonly PolicyRule[] {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  return [
    { ...leases, verbs: ['create'] },
    { ...leases, resourceNames: [leaseName], verbs: ['get', 'patch'] },
  ]
}

/** Each replica has a Lease of its own, removes those of replicas that are gone, and lists all: no list can be confined to names. */
const memberLeaseRules: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
]

function need({ scope, group, plural }: Resource, wanted: readonly Verb[], subresource?: string): Need {
  return { scope, group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, verbs: wanted }
}

/** One rule for all resources of a group that need the same verbs. */
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

/** By code units, so that the order depends on no locale. */
function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
