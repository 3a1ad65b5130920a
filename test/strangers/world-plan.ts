// World: operators with small controllers in several versions, and the events that happen to them. It is JSON, so it
// can be stored. Pure.

import type { JsonObject } from '../../src/base/json.ts'
import type { KubeObject } from '../../src/index.ts'
import type { FaultRule } from '../../src/testing/index.ts'
import {
  type ChildKind,
  type DefinedKind,
  type Extension,
  type ParentKind,
  type ParentSpec,
  scopeOf,
} from './stranger-kinds.ts'

/** One child that a version of a controller declares. */
export interface ChildTemplate {
  readonly kind: ChildKind
  readonly slot: number
  /** Every resource of the world declares the same name. */
  readonly isCommon: boolean
  /** The child is in another namespace than the resources. */
  readonly isElsewhere?: boolean
  /** Lowest `spec.size` with this child. */
  readonly fromSize: number
  /** `spec.rev` selects the declared one. */
  readonly bodies: readonly JsonObject[]
  readonly policy: ChildPolicy
}

export interface ChildPolicy {
  readonly shared?: string
  readonly initialOnly?: string
  readonly retain?: boolean
  /** Every resource that declares the name owns a part of it. */
  readonly coOwn?: boolean
  readonly recreate?: boolean
  /** Held while `spec.rev` is odd. */
  readonly hold?: boolean
  /** A contribution to the child that resources of this kind declare at the same slot. */
  readonly contribute?: ParentKind
  /** Index of an earlier template; the child waits until that one is ready. */
  readonly waitsFor?: number
}

export interface VersionPlan {
  readonly templates: readonly ChildTemplate[]
  /** Bug of this version: the function throws at this `spec.rev`. */
  readonly bug?: { readonly of: PureFunction; readonly rev: number } | undefined
}

export interface ControllerPlan {
  readonly kind: ParentKind
  readonly isAddonOptional: boolean
  readonly versions: readonly VersionPlan[]
}

export interface OperatorPlan {
  readonly name: string
  readonly controllers: readonly ControllerPlan[]
}

/**
 * Functions that read the world, and may fail for a time. The others are pure: only input and version make them fail.
 */
export const functionNames = ['observe', 'cleanup'] as const
export type FunctionName = (typeof functionNames)[number]
export type PureFunction = 'refuse' | 'desired' | 'status'
export type Misbehaviour = 'throw' | 'reject' | 'hang' | 'hang-deaf' | 'wait'

export interface ChildName {
  readonly kind: ChildKind
  readonly name: string
  /** Default: `home`. */
  readonly namespace?: string | undefined
}

/** Namespace of all resources except cluster-scoped ones. */
export const home = 'default'
export const elsewhere = 'elsewhere'

/** Returns the namespace; undefined: the kind is cluster-scoped. */
export function namespaceOf({ kind, namespace = home }: ChildName): string | undefined {
  return scopeOf(kind) === 'Cluster' ? undefined : namespace
}

/** Returns `namespace/name`, or the name. */
export function keyOf(child: ChildName): string {
  const namespace = namespaceOf(child)
  return namespace === undefined ? child.name : `${namespace}/${child.name}`
}

/** Kind of write of another manager. */
export type Manner = 'update' | 'apply' | 'apply-forced'

export type WorldEvent =
  | { readonly kind: 'create' | 'edit'; readonly of: ParentKind; readonly name: string; readonly spec: ParentSpec }
  | {
      readonly kind: 'delete' | 'pause' | 'resume' | 'label' | 'unlabel-parent'
      readonly of: ParentKind
      readonly name: string
    }
  | {
      readonly kind: 'edit-child'
      readonly child: ChildName
      readonly manager: string
      readonly manner: Manner
      readonly body: JsonObject
    }
  /** Another manager removes labels or owner, adds a finalizer, changes membership labels, or resets managedFields. */
  | { readonly kind: 'unlabel' | 'disown' | 'pin' | 'unpin' | 'relabel' | 'reset-records'; readonly child: ChildName }
  | { readonly kind: 'hand-over'; readonly child: ChildName; readonly of: ParentKind; readonly name: string }
  | { readonly kind: 'delete-child'; readonly child: ChildName }
  | { readonly kind: 'create-foreign'; readonly child: ChildName; readonly body: JsonObject }
  | { readonly kind: 'delete-foreign'; readonly child: ChildName }
  | { readonly kind: 'ready-engine'; readonly name: string; readonly isReady: boolean }
  | { readonly kind: 'restart' | 'crash' | 'upgrade'; readonly operator: number }
  | {
      readonly kind: 'misbehave'
      readonly of: ParentKind
      readonly call: FunctionName
      readonly how: Misbehaviour
    }
  | { readonly kind: 'behave' }
  | { readonly kind: 'fault'; readonly rule: FaultRule }
  | { readonly kind: 'calm' }
  | { readonly kind: 'install-addon' | 'uninstall-addon' }
  | { readonly kind: 'extend-kind'; readonly of: DefinedKind; readonly extension: Extension }
  /** Value that `observe` reads for resources of this name. Undefined: the object is deleted. */
  | { readonly kind: 'set-fact'; readonly name: string; readonly shift: number | undefined }

export interface TimedEvent {
  readonly event: WorldEvent
  /** Simulated time after the event; undefined: the next event follows at once. */
  readonly thenMs?: number
}

export interface WorldPlan {
  readonly seed: number
  readonly isAddonInstalled: boolean
  readonly operators: readonly OperatorPlan[]
  readonly events: readonly TimedEvent[]
}

/** A child as a version declares it for one resource. */
export interface DeclaredChild extends ChildName {
  readonly body: JsonObject
  readonly policy: ChildPolicy
  readonly isHeld: boolean
  /** Index among the templates. */
  readonly at: number
}

export function declaredChildren(
  of: ParentKind,
  { templates }: VersionPlan,
  parent: { readonly name: string; readonly spec: ParentSpec; readonly shift: number },
): readonly DeclaredChild[] {
  const { rev, size } = parent.spec
  return templates.flatMap((template, place) => {
    if (size < template.fromSize) return []
    const { kind, policy, bodies } = template
    const at = rev + parent.shift
    const body = policy.coOwn === true ? partOf(of, parent, at) : (bodies[at % bodies.length] ?? {})
    return [
      {
        kind,
        name: nameOf(policy.contribute ?? of, parent.name, template),
        namespace: template.isElsewhere === true && policy.contribute === undefined ? elsewhere : home,
        body,
        policy,
        at: place,
        isHeld: policy.hold === true && rev % 2 === 1,
      },
    ]
  })
}

/** Returns a key of its own, and from size 2 on a key that others declare too, possibly with another value. */
function partOf(
  of: ParentKind,
  { name, spec }: { readonly name: string; readonly spec: ParentSpec },
  at: number,
): JsonObject {
  const own = { [`${of.toLowerCase()}-${name}`]: String(at % 3) }
  return { data: spec.size < 2 ? own : { ...own, both: String(at % 2) } }
}

/** ConfigMap that resources of this name observe; `data.shift` is added to `spec.rev` to select a body. */
export const factName = (parent: string) => `fact-${parent}`

export function shiftOf(fact: KubeObject | undefined): number {
  return Number((fact?.['data'] as { readonly shift?: string } | undefined)?.shift ?? 0) // Written by the world.
}

export function nameOf(
  of: ParentKind,
  parent: string,
  { isCommon, slot }: Pick<ChildTemplate, 'isCommon' | 'slot'>,
): string {
  return isCommon ? `common-${slot}` : `${of.toLowerCase()}-${parent}-${slot}`
}
