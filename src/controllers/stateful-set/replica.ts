// Which replica does an object belong to, and does a pod serve? Read from names and from what the kubelet says. Pure.
import { type KubeObject, valueAt } from '../../index.ts'

/** The number that the names of pods and claims end in; undefined where there is none. */
export function ordinalOf(name: string): number | undefined {
  const digits = /-(\d+)$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Those called `<prefix>-<ordinal>`, as a StatefulSet names them: anybody's backup or copy may bear the store's label too. */
export function numbered<T extends KubeObject>(prefix: string, objects: readonly T[]): readonly T[] {
  return objects.filter(({ metadata: { name } }) => name === `${prefix}-${ordinalOf(name)}`)
}

export function podConditionOf(pod: KubeObject, type: string): Readonly<Record<string, unknown>> | undefined {
  return recordsAt(pod, 'status', 'conditions').find((condition) => condition.type === type)
}

export function isServing(pod: KubeObject): boolean {
  return podConditionOf(pod, 'Ready')?.status === 'True'
}

/** The objects of a list in the object; none where there is no list. */
export function recordsAt(
  object: KubeObject,
  ...path: readonly string[]
): readonly Readonly<Record<string, unknown>>[] {
  const list = valueAt(object, ...path)
  return Array.isArray(list) ? list.map(recordOf) : []
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  // An object has fields of unknown kinds, which is what the type says.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
