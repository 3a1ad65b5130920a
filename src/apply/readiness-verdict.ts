// How does a rule say how ready an object is, and how does it read what the object tells? A status is somebody else's
// JSON: what is missing or of another shape counts as not told.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { type KubeObject, valueAt } from '../object/object.ts'

/**
 * - `ready`: does what it is for.
 * - `progressing`: not yet; it may get there by itself.
 * - `failed`: will not get there unless somebody changes something, as far as it tells.
 * - `unknown`: does not tell. Never taken for ready.
 * - `terminating`: on its way out.
 */
export interface Readiness {
  readonly kind: 'ready' | 'progressing' | 'failed' | 'unknown' | 'terminating'
  /** One CamelCase word; the object's own where it gives one. */
  readonly reason: string
  /** What is the case, without the object's name, as in `2 of 3 replicas are ready`. */
  readonly message: string
}

/** The rule of one kind. Deletion, older generations, Stalled and Reconciling are dealt with before it is asked. */
export type ReadinessRule = (object: KubeObject) => Readiness

export function ready(reason: string, message: string): Readiness {
  return { kind: 'ready', reason, message }
}

export function progressing(reason: string, message: string): Readiness {
  return { kind: 'progressing', reason, message }
}

export function failed(reason: string, message: string): Readiness {
  return { kind: 'failed', reason, message }
}

/** What is told is about an older generation. */
export function notObserved(): Readiness {
  return progressing('NotObserved', 'its controller has not seen the last change yet')
}

/** Is what was observed not this generation? Unknown generations are taken as they are. */
export function isOlder({ metadata }: KubeObject, observedGeneration: number | undefined): boolean {
  return (
    observedGeneration !== undefined && metadata.generation !== undefined && observedGeneration !== metadata.generation
  )
}

/** What a condition says; reason and message fall back on what is certain. */
export interface ConditionSaid {
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration: number | undefined
}

/** The condition of this type, if the object has it. */
export function conditionSaid(object: KubeObject, type: string): ConditionSaid | undefined {
  const found = conditionsOf(object).find((condition) => condition.type === type)
  if (found === undefined) return undefined
  const status = textOf(found.status) ?? 'Unknown'
  return {
    status,
    reason: textOf(found.reason) ?? `${type}${status}`,
    message: textOf(found.message) ?? `condition ${type} is ${status}`,
    observedGeneration: typeof found.observedGeneration === 'number' ? found.observedGeneration : undefined,
  }
}

/** The condition of this type if it is `True`. */
export function conditionTrue(object: KubeObject, type: string): ConditionSaid | undefined {
  const said = conditionSaid(object, type)
  return said?.status === 'True' ? said : undefined
}

export function conditionsOf(object: KubeObject): readonly JsonObject[] {
  return objectsAt(object, 'status', 'conditions')
}

/** The objects of a list; empty if there is no list. */
export function objectsAt(object: KubeObject, ...path: readonly string[]): readonly JsonObject[] {
  const list = valueAt(object, ...path)
  return isJsonList(list) ? list.filter(isJsonObject) : []
}

/** A count that Kubernetes leaves out when it is zero. */
export function countAt(object: KubeObject, ...path: readonly string[]): number {
  return numberAt(object, ...path) ?? 0
}

export function numberAt(object: KubeObject, ...path: readonly string[]): number | undefined {
  const value = valueAt(object, ...path)
  return typeof value === 'number' ? value : undefined
}

export function textAt(object: KubeObject, ...path: readonly string[]): string | undefined {
  return textOf(valueAt(object, ...path))
}

/** A text that says something. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
