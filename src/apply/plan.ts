// Plan of the writes for one resource. Pure: desired objects and live children in, steps out, wave by wave. The
// applier, `konverge diff` and the log read the same plan. Invariant: it neither takes nor deletes objects of others
// (I5, I7).
import type { CodedError } from '../base/errors.ts'
import type { Comparison } from '../diff/compare.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf } from '../object/resource.ts'
import type { Dependency, DesiredObject } from '../synth/desired.ts'
import { orderOf } from '../synth/membership.ts'
import type { ChildCluster } from './child-cluster.ts'
import { rejectionOf } from './conflict-rule.ts'
import { isContributed } from './contribution-rule.ts'
import type { ManagerOf } from './field-managers.ts'
import { hasUpdateRecord } from './field-ownership.ts'
import { pruneVerdict } from './prune-rule.ts'
import { declaresNothing } from './self-contribution.ts'

export type Action =
  /** Not in the cache. The applier reads it live first, because a filtered cache may lack an existing object. */
  | { readonly kind: 'create' }
  | { readonly kind: 'change'; readonly live: LiveObject; readonly comparison: Exclude<Comparison, { kind: 'equal' }> }
  /** As desired, or being deleted: nothing to write. */
  | { readonly kind: 'leave'; readonly live: LiveObject; readonly why: 'equal' | 'terminating' }
  /** Nothing is written for now, and its dependents wait too. `on` is a sentence. */
  | { readonly kind: 'hold'; readonly live: LiveObject | undefined; readonly on: string }
  /** An object of another owner: unchanged, and reported. */
  | { readonly kind: 'refuse'; readonly live: LiveObject; readonly error: CodedError }

export interface Step {
  readonly desired: DesiredObject
  readonly action: Action
  /** Identities of the objects that have to be written before this one. */
  readonly follows: readonly string[]
  /** Identities of the objects that must be ready, not only applied, before this one is written. */
  readonly waitsFor: readonly string[]
}

export interface Plan {
  /** First wave first. */
  readonly waves: readonly (readonly Step[])[]
  /**
   * Children that the constructs no longer declare, last wave first; deleted after all waves, except those that wait
   * for a failed step. Those with other owners are released.
   */
  readonly prune: readonly LiveObject[]
  /** Undeclared children that are being deleted. */
  readonly going: readonly LiveObject[]
}

/** Compares along the fields of a field manager. */
export type Compare = (desired: KubeObject, live: LiveObject, manager: string) => Comparison

export interface PlanInput {
  readonly parent: LiveObject
  /** In wave order, as synth returns them. */
  readonly desired: readonly DesiredObject[]
  /** All children of the parent in the caches. */
  readonly children: readonly LiveObject[]
  /** Returns the object of another owner that a contribution is for, if it exists. */
  readonly contributedTo: (object: KubeObject) => LiveObject | undefined
  /** Returns the cached object with other owners that a resource declares too. */
  readonly sharedWith?: (object: KubeObject) => LiveObject | undefined
  readonly compare: Compare
  readonly managerOf: ManagerOf
  /** The cluster of all children, if it is not that of the parent. */
  readonly cluster?: ChildCluster | undefined
}

export function plan(input: PlanInput): Plan {
  const { parent, desired, children, compare, managerOf, cluster } = input
  const known = new Map(children.map((child) => [identityOf(child), child]))
  const identities = desired.map(({ object }) => identityOf(object))
  const waves: Step[][] = []
  desired.forEach((item, index) => {
    const identity = identities[index] ?? ''
    const live = liveOf(item, known.get(identity), input)
    const action = decide({ parent, desired: item, live, compare, manager: managerOf(item), cluster })
    const identitiesOf = (dependencies: readonly Dependency[]) =>
      dependencies.flatMap(({ on }) => on.map((index) => identities[index] ?? ''))
    while (waves.length <= item.wave) waves.push([])
    waves[item.wave]?.push({
      desired: item,
      action,
      follows: identitiesOf(item.dependsOn),
      waitsFor: identitiesOf(item.dependsOn.filter(({ waitsForReady }) => waitsForReady)),
    })
  })
  return { waves, ...leftovers({ parent, desired, children, cluster }) }
}

function liveOf({ object, policies }: DesiredObject, child: LiveObject | undefined, input: PlanInput) {
  if (policies.contribute) return input.contributedTo(object)
  return child ?? (policies.coOwn ? input.sharedWith?.(object) : undefined)
}

/** Returns the undeclared children to prune, and those that are being deleted. */
export function leftovers({
  parent,
  desired,
  children,
  cluster,
}: Pick<PlanInput, 'parent' | 'desired' | 'children' | 'cluster'>): Pick<Plan, 'prune' | 'going'> {
  const undeclared = undeclaredOf({ desired, children })
  const meant = (verdict: 'prune' | 'going') =>
    undeclared.filter((child) => pruneVerdict(child, parent, cluster) === verdict)
  return {
    prune: meant('prune').sort((left, right) => orderOf(right, parent) - orderOf(left, parent)),
    going: meant('going'),
  }
}

export function undeclaredOf({ desired, children }: Pick<PlanInput, 'desired' | 'children'>): readonly LiveObject[] {
  const declared = new Set(desired.map(({ object }) => identityOf(object)))
  return children.filter((child) => !declared.has(identityOf(child)))
}

export interface DecideInput {
  readonly parent: LiveObject
  readonly desired: DesiredObject
  readonly live: LiveObject | undefined
  readonly compare: Compare
  readonly manager: string
  readonly cluster?: ChildCluster | undefined
}

/**
 * Decides about one desired object. The applier calls it again when a live read finds an object that the cache lacked.
 */
export function decide({ parent, desired, live, compare, manager, cluster }: DecideInput): Action {
  const { object, lasting, policies } = desired
  const { hold } = policies
  if (hold !== undefined) {
    return {
      kind: 'hold',
      live,
      on: typeof hold === 'string' ? `${describeRef(refOf(object))} ${hold}` : hold.sentence,
    }
  }
  if (live === undefined) return policies.contribute ? awaited(desired) : { kind: 'create' }
  const error = policies.contribute ? undefined : rejectionOf({ parent, desired, live, manager, cluster })
  if (error !== undefined) return { kind: 'refuse', live, error }
  if (isBeingDeleted(live)) return { kind: 'leave', live, why: 'terminating' }
  const comparison = compare(lasting, live, manager)
  const isThere = policies.isSelf
    ? comparison.kind === 'unowned' && declaresNothing(lasting)
    : policies.contribute && isContributed(comparison, live, manager)
  if (comparison.kind !== 'equal' && !isThere) return { kind: 'change', live, comparison }
  const isLeftOver = !policies.contribute && hasUpdateRecord(live, manager)
  // The values are right, and an interrupted patch left owned fields that are not declared.
  return isLeftOver ? { kind: 'change', live, comparison: { kind: 'unowned' } } : { kind: 'leave', live, why: 'equal' }
}

function awaited({ object, policies }: DesiredObject): Action {
  const on = `${describeRef(refOf(object))} ${policies.isSelf ? 'is not in memory yet' : 'does not exist yet; somebody else makes it'}`
  return { kind: 'hold', live: undefined, on }
}

/** Equal for every version of a kind. */
export function identityOf({
  apiVersion,
  kind,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  const { namespace, name } = metadata
  return `${groupKindOf({ apiVersion, kind })} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
