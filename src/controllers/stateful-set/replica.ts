// Ordinal of an object, and readiness of a pod, from names and the kubelet's status. Pure.
import { type KubeObject, valueAt } from '../../index.ts'

/** Returns the ordinal at the end of a pod's or claim's name. Undefined if there is none. */
export function ordinalOf(name: string): number | undefined {
  const digits = /-(\d+)$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Returns the objects with names `<prefix>-<ordinal>`, as a StatefulSet creates them. Other objects, such as backups or
 * copies, may have the same labels.
 */
export function numbered<T extends KubeObject>(prefix: string, objects: readonly T[]): readonly T[] {
  return objects.filter(({ metadata: { name } }) => name === `${prefix}-${ordinalOf(name)}`)
}

export function podConditionOf(pod: KubeObject, type: string): Readonly<Record<string, unknown>> | undefined {
  return recordsAt(pod, 'status', 'conditions').find((condition) => condition.type === type)
}

export function isServing(pod: KubeObject): boolean {
  return podConditionOf(pod, 'Ready')?.status === 'True'
}

/** Returns the objects of a list in the object. Empty if there is no list. */
export function recordsAt(
  object: KubeObject,
  ...path: readonly string[]
): readonly Readonly<Record<string, unknown>>[] {
  const list = valueAt(object, ...path)
  return Array.isArray(list) ? list.map(recordOf) : []
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  // An object has fields of unknown types, as the type says.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
