// A world: operators with small controllers in several versions, and the events that meet them. It is JSON, so that it can be kept. Pure.

import type { JsonObject } from '../../src/base/json.ts'
import type { FaultRule } from '../../src/testing/index.ts'
import type { ChildKind, ParentKind, ParentSpec } from './stranger-kinds.ts'

/** One child that a version of a controller declares. */
export interface ChildTemplate {
  readonly kind: ChildKind
  readonly slot: number
  /** Every resource of the world declares the same name. */
  readonly isCommon: boolean
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
}

/** How another manager writes. */
export type Manner = 'update' | 'apply' | 'apply-forced'

export type WorldEvent =
  | { readonly kind: 'create' | 'edit'; readonly of: ParentKind; readonly name: string; readonly spec: ParentSpec }
  | { readonly kind: 'delete' | 'pause' | 'resume'; readonly of: ParentKind; readonly name: string }
  | {
      readonly kind: 'edit-child'
      readonly child: ChildName
      readonly manager: string
      readonly manner: Manner
      readonly body: JsonObject
    }
  /** Another manager takes its labels or its owner, or puts a finalizer on it. */
  | { readonly kind: 'unlabel' | 'disown' | 'pin' | 'unpin'; readonly child: ChildName }
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
  parent: { readonly name: string; readonly spec: ParentSpec },
): readonly DeclaredChild[] {
  const { rev, size } = parent.spec
  return templates.flatMap((template, at) => {
    if (size < template.fromSize) return []
    const { kind, policy, bodies } = template
    const body = bodies[rev % bodies.length] ?? {}
    return [
      {
        kind,
        name: nameOf(policy.contribute ?? of, parent.name, template),
        body,
        policy,
        at,
        isHeld: policy.hold === true && rev % 2 === 1,
      },
    ]
  })
}

export function nameOf(
  of: ParentKind,
  parent: string,
  { isCommon, slot }: Pick<ChildTemplate, 'isCommon' | 'slot'>,
): string {
  return isCommon ? `common-${slot}` : `${of.toLowerCase()}-${parent}-${slot}`
}
