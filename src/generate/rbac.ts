// Which rights does an operator need? Exactly the requests that the runtime sends for what its controllers own, watch and
// read: no wildcard, no verb in reserve. The same controllers give the same rules, in whatever order they come.
import { keptKinds } from '../object/kept-kinds.ts'
import { groupKindOf, type Resource } from '../object/resource.ts'

/** In the order in which rules list them. */
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const
type Verb = (typeof verbs)[number]

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
  /** The Lease by which replicas elect their leader. Default: the operator's name, as everywhere. */
  readonly leaseName?: string | undefined
  /** Does it ask the API server who may read its metrics (`metrics: { kind: 'protected' }`)? Default false. */
  readonly protectsMetrics?: boolean | undefined
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
  leaseName = name,
  protectsMetrics = false,
}: OperatorNeeds): OperatorRights {
  const needs = [...controllers.flatMap(needsOf), eventsOf(controllers), ...(protectsMetrics ? reviews : [])]
  const of = (scope: Resource['scope']) => rulesOf(needs.filter((need) => need.scope === scope))
  return { namespaced: of('Namespaced'), cluster: of('Cluster'), home: leaseRules(leaseName) }
}

function needsOf({ resource: own, hasStatus = true, owns, watches, reads, retired }: DeclaredKinds): readonly Need[] {
  return [
    // Read once more before anything is deleted for it: a cache may be behind.
    need(own, ['get', 'list', 'watch', 'patch']),
    ...(hasStatus ? [need(own, ['patch'], 'status')] : []),
    // An owner reference that blocks the owner's deletion asks for this where OwnerReferencesPermissionEnforcement is on.
    ...(owns.length === 0 ? [] : [need(own, ['update'], 'finalizers')]),
    // An apply is a patch, and a create as well where the object does not exist yet; a look comes before the first one.
    ...owns.map(({ resource }) =>
      need(resource, ['get', 'list', 'watch', 'create', 'patch', ...(isKept(resource) ? [] : (['delete'] as const))]),
    ),
    ...watches.map(({ resource, repairMayDelete, contributes }) =>
      need(resource, [
        'list',
        'watch',
        ...(repairMayDelete === true ? ['delete' as const] : []),
        ...(contributes === true ? (['get', 'patch'] as const) : []),
      ]),
    ),
    ...reads.map(({ resource, isListed }) => need(resource, isListed ? ['get', 'list'] : ['get'])),
    ...retired.map((resource) => need(resource, ['list', 'delete'])),
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
