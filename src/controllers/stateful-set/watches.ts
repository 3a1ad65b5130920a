// What has to be watched of what a StatefulSet makes, so that its owner hears of pods, growing volumes and the classes that let them grow?
// The same for every kind whose pods and claims bear its resource's name in a label. Pure.
import {
  type IndexLookup,
  type Key,
  type KubeObject,
  keyFor,
  type LiveObject,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type Watch,
} from '../../index.ts'
import { allowsExpansion, growthDigest } from './volume-growth.ts'

/**
 * `label`: its value is the resource's name, or `nameIn` finds that in it. The definition has an index `storageClassName`, by
 * `storageClassKey`.
 */
export function watchesOf(
  label: string,
  podDigest: NonNullable<Watch['digest']>,
  nameIn: (value: string) => string = (value) => value,
): readonly Watch[] {
  const keysFor = ({ metadata }: KubeObject): readonly Key[] => {
    const value = metadata.labels?.[label]
    return value === undefined ? [] : [keyFor(metadata.namespace, nameIn(value))]
  }
  return [
    {
      resource: Pod,
      labelSelector: label,
      keysFor,
      digest: podDigest,
      keep: ({ spec: _, ...pod }) => pod,
      repairMayDelete: true,
    },
    { resource: PersistentVolumeClaim, labelSelector: label, keysFor, digest: growthDigest, contributes: true },
    { resource: StorageClass, keysFor: keysOfClass, digest: (storageClass) => allowsExpansion(storageClass) },
  ]
}

/** Stands in the index for the class of a resource that names none. No class can be called so. */
const defaultClass = '(default)'

/** What a resource that asks for this class has in its index `storageClassName`. */
export function storageClassKey(storageClassName: string | undefined): string {
  return storageClassName ?? defaultClass
}

/** Which class is or was the default, only the claims know. */
function keysOfClass({ metadata }: LiveObject, lookup: IndexLookup): readonly Key[] {
  return [metadata.name, defaultClass].flatMap((name) => lookup('storageClassName', name))
}
