// Readiness verdicts of a rule, and readers of a status. Other controllers write the status: a field that is missing or
// has another shape counts as absent.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { type KubeObject, valueAt } from '../object/object.ts'

/**
 * Verdict about an object:
 *
 * - `ready`: it serves its purpose.
 * - `progressing`: not yet; it may become ready by itself.
 * - `failed`: by its status, it becomes ready only after a change by a user.
 * - `unknown`: its status does not tell. Never counts as ready.
 * - `terminating`: it is being deleted.
 */
export interface Readiness {
  readonly kind: 'ready' | 'progressing' | 'failed' | 'unknown' | 'terminating'
  /** One CamelCase word; the object's own if it has one. */
  readonly reason: string
  /** State without the object's name, as in `2 of 3 replicas are ready`. */
  readonly message: string
}

/** The rule of one kind. The caller has handled deletion, older generations, Stalled and Reconciling before. */
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

/** The status is about an older generation. */
export function notObserved(): Readiness {
  return progressing('NotObserved', 'its controller has not seen the last change yet')
}

/** True if another generation was observed. Unknown generations count as current. */
export function isOlder({ metadata }: KubeObject, observedGeneration: number | undefined): boolean {
  return (
    observedGeneration !== undefined && metadata.generation !== undefined && observedGeneration !== metadata.generation
  )
}

/** Content of a condition; missing reasons and messages have defaults. */
export interface ConditionContent {
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration: number | undefined
}

/** Returns the condition of this type, if the object has it. */
export function conditionContent(object: KubeObject, type: string): ConditionContent | undefined {
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

/** Returns the condition of this type if it is `True`. */
export function conditionTrue(object: KubeObject, type: string): ConditionContent | undefined {
  const said = conditionContent(object, type)
  return said?.status === 'True' ? said : undefined
}

export function conditionsOf(object: KubeObject): readonly JsonObject[] {
  return objectsAt(object, 'status', 'conditions')
}

/** Returns the objects of a list; empty if there is no list. */
export function objectsAt(object: KubeObject, ...path: readonly string[]): readonly JsonObject[] {
  const list = valueAt(object, ...path)
  return isJsonList(list) ? list.filter(isJsonObject) : []
}

/** Returns a count, which Kubernetes omits if it is zero. */
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

/** Returns a text that is not empty. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
