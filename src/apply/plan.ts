// What has to be written for one resource? Pure: desired objects and live children in, steps out, wave by wave. The
// applier, `konverge diff` and the log read the same plan. Nothing in it seizes or deletes what is not ours (I5, I7).
import type { CodedError } from '../base/errors.ts'
import type { Comparison } from '../diff/compare.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { isBeingDeleted } from '../object/object.ts'
import { groupKindOf } from '../object/resource.ts'
import type { DesiredObject } from '../synth/desired.ts'
import { conflictingOwner, isOurs } from './conflict-rule.ts'
import { isPrunable } from './prune-rule.ts'

export type Action =
  /** Not in the cache. The applier reads it live first: absent from a filtered cache is not absent. */
  | { readonly kind: 'create' }
  | { readonly kind: 'change'; readonly live: LiveObject; readonly comparison: Exclude<Comparison, { kind: 'equal' }> }
  /** As desired, or on its way out: nothing to write. */
  | { readonly kind: 'leave'; readonly live: LiveObject; readonly why: 'equal' | 'terminating' }
  /** Not ours: untouched, and reported. */
  | { readonly kind: 'refuse'; readonly live: LiveObject; readonly error: CodedError }

export interface Step {
  readonly desired: DesiredObject
  readonly action: Action
  /** Identities of what must be ready, not only applied, before this is written. */
  readonly waitsFor: readonly string[]
}

export interface Plan {
  /** First wave first. */
  readonly waves: readonly (readonly Step[])[]
  /** Children that the constructs no longer declare; deleted when every wave has been applied without error. */
  readonly prune: readonly LiveObject[]
}

/** Which of our fields differ? */
export type Compare = (desired: KubeObject, live: LiveObject) => Comparison

export interface PlanInput {
  readonly parent: LiveObject
  /** In wave order, as synth returns them. */
  readonly desired: readonly DesiredObject[]
  /** Every child of the parent that the caches hold. */
  readonly children: readonly LiveObject[]
  readonly compare: Compare
}

export function plan({ parent, desired, children, compare }: PlanInput): Plan {
  const undeclared = new Map(children.map((child) => [identityOf(child), child]))
  const identities = desired.map(({ object }) => identityOf(object))
  const waves: Step[][] = []
  desired.forEach((item, index) => {
    const identity = identities[index] ?? ''
    const action = decide({ parent, desired: item.object, live: undeclared.get(identity), compare })
    undeclared.delete(identity)
    const gates = item.dependsOn.filter(({ waitsForReady }) => waitsForReady).flatMap(({ on }) => on)
    while (waves.length <= item.wave) waves.push([])
    waves[item.wave]?.push({ desired: item, action, waitsFor: gates.map((gate) => identities[gate] ?? '') })
  })
  return { waves, prune: [...undeclared.values()].filter((child) => isPrunable(child, parent)) }
}

export interface DecideInput {
  readonly parent: LiveObject
  readonly desired: KubeObject
  readonly live: LiveObject | undefined
  readonly compare: Compare
}

/** What to do about one desired object. The applier asks again when a live read finds what the cache lacked. */
export function decide({ parent, desired, live, compare }: DecideInput): Action {
  if (live === undefined) return { kind: 'create' }
  if (!isOurs(parent, desired, live)) return { kind: 'refuse', live, error: conflictingOwner(parent, live) }
  if (isBeingDeleted(live)) return { kind: 'leave', live, why: 'terminating' }
  const comparison = compare(desired, live)
  return comparison.kind === 'equal' ? { kind: 'leave', live, why: 'equal' } : { kind: 'change', live, comparison }
}

/** The same for every version of a kind. */
export function identityOf({
  apiVersion,
  kind,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): string {
  const { namespace, name } = metadata
  return `${groupKindOf({ apiVersion, kind })} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
