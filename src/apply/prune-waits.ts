// Decides which undeclared children stay while other children are not as declared: the replacement of a child exists
// before the child is pruned. Invariant: a failure that users of one namespace can cause and prolong keeps no child in
// namespaces of other users. Pure.
import type { CodedError } from '../base/errors.ts'
import { rejections } from '../kube/kube-errors.ts'
import type { LiveObject } from '../object/object.ts'
import type { ChildCluster } from './child-cluster.ts'
import { identityOf, type Step } from './plan.ts'
import { type ChildPlace, isEntryOf, isRemote } from './remote-children.ts'

/** The children that stay while a step is not performed. */
type Reach =
  /** All of them: the object of the step may replace any of them. */
  | { readonly kind: 'all' }
  /**
   * Children in the namespace of the object, in the parent's namespace and at cluster scope. The object exists in an
   * older form that may refer to them.
   */
  | { readonly kind: 'shared'; readonly namespace: string }
  /** Children in the namespace of the object. */
  | { readonly kind: 'namespace'; readonly namespace: string }

export interface PruneWaitsInput {
  readonly parent: LiveObject
  readonly cluster?: ChildCluster | undefined
  /** Steps of the plan, in its order. */
  readonly steps: readonly Step[]
  /**
   * Steps that were not performed, by identity. Undefined: no failure of its own, but a hold, a gate or a dependency
   * postpones the step.
   */
  readonly heldBack: ReadonlyMap<string, CodedError | undefined>
  /** Recorded children that the operator may not read. */
  readonly forbidden: readonly ChildPlace[]
}

/** Returns a function that tells whether a child stays for now. */
export function pruneWaits(input: PruneWaitsInput): (child: LiveObject) => boolean {
  const { parent, cluster, steps, heldBack } = input
  const reaches = new Map<string, Reach>()
  const obstacles: Reach[] = []
  for (const step of steps) {
    const identity = identityOf(step.desired.object)
    if (!heldBack.has(identity)) continue
    const reach = reachOf(step, reaches, input)
    reaches.set(identity, reach)
    // An object that is as declared replaces nothing, whatever it depends on.
    if (step.action.kind !== 'leave' || heldBack.get(identity) !== undefined) obstacles.push(reach)
  }
  const isForAll = obstacles.some(({ kind }) => kind === 'all')
  const isForShared = obstacles.some(({ kind }) => kind === 'shared')
  const namespaces = new Set(obstacles.flatMap((reach) => (reach.kind === 'all' ? [] : [reach.namespace])))
  return (child) => {
    const { namespace } = child.metadata
    if (isForAll) return true
    if (namespace !== undefined && namespaces.has(namespace)) return true
    return isForShared && (namespace === undefined || !isRemote(child, parent, cluster))
  }
}

function reachOf(
  { desired, action, follows }: Step,
  reaches: ReadonlyMap<string, Reach>,
  { parent, cluster, heldBack, forbidden }: PruneWaitsInput,
): Reach {
  const { object } = desired
  const { namespace } = object.metadata
  if (namespace === undefined || !isRemote(object, parent, cluster)) return { kind: 'all' }
  const error = heldBack.get(identityOf(object))
  if (error === undefined) {
    const causes = follows.flatMap((identity) => reaches.get(identity) ?? [])
    const isOfNamespace = causes.every((cause) => cause.kind !== 'all' && cause.namespace === namespace)
    if (causes.length > 0) return isOfNamespace ? (causes.find(isShared) ?? { kind: 'namespace', namespace }) : forAll
    const isForbidden = action.kind === 'hold' && forbidden.some((place) => isEntryOf(place, object))
    return isForbidden ? { kind: 'namespace', namespace } : forAll
  }
  // Another object has the name: its users decide for how long.
  if (error.code === 'ConflictingOwner') return { kind: 'namespace', namespace }
  const exists = action.kind === 'change' || action.kind === 'leave'
  if (exists && error.code === 'NotConverging') return { kind: 'namespace', namespace }
  return exists && isLasting(error) ? { kind: 'shared', namespace } : forAll
}

const forAll: Reach = { kind: 'all' }

function isShared({ kind }: Reach): boolean {
  return kind === 'shared'
}

/** True if the failure is not known to pass by itself. */
function isLasting({ code, remedy }: CodedError): boolean {
  const codes: ReadonlySet<string> = rejections
  return remedy === 'stop' || codes.has(code)
}
