// A world: operators with small controllers in several versions, and the events that meet them. It is JSON, so that it can be kept. Pure.

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
  /** In another namespace than that of the resources. */
  readonly isElsewhere?: boolean
  /** It is declared from this `spec.size` on. */
  readonly fromSize: number
  /** One of them is declared, by `spec.rev`. */
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
  /** Waits until the template at this place is ready. */
  readonly waitsFor?: number
}

export interface VersionPlan {
  readonly templates: readonly ChildTemplate[]
  /** A bug of this version: the function throws where `spec.rev` is this. */
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

/** Functions that look at the world, and may fail for a time. The others are pure: they fail by their inputs and version. */
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

/** The namespace of all resources but the cluster-scoped ones. */
export const home = 'default'
export const elsewhere = 'elsewhere'

/** Undefined: the kind is cluster-scoped. */
export function namespaceOf({ kind, namespace = home }: ChildName): string | undefined {
  return scopeOf(kind) === 'Cluster' ? undefined : namespace
}

/** `namespace/name`, or the name. */
export function keyOf(child: ChildName): string {
  const namespace = namespaceOf(child)
  return namespace === undefined ? child.name : `${namespace}/${child.name}`
}

/** How another manager writes. */
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
  /** Another manager takes its labels or its owner, puts a finalizer on it, changes the labels of membership, or resets its managedFields. */
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
  /** What `observe` reads for resources of this name. Undefined: the object is deleted. */
  | { readonly kind: 'set-fact'; readonly name: string; readonly shift: number | undefined }

export interface TimedEvent {
  readonly event: WorldEvent
  /** Virtual time that passes after it; undefined: the next event follows without a pause. */
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
  /** Its place among the templates. */
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

/** A key of its own, and from size 2 on a key that others declare too, maybe otherwise. */
function partOf(
  of: ParentKind,
  { name, spec }: { readonly name: string; readonly spec: ParentSpec },
  at: number,
): JsonObject {
  const own = { [`${of.toLowerCase()}-${name}`]: String(at % 3) }
  return { data: spec.size < 2 ? own : { ...own, both: String(at % 2) } }
}

/** The ConfigMap that resources of this name observe; `data.shift` is added to `spec.rev` where a body is chosen. */
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
