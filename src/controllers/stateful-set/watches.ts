// Watches on objects of a StatefulSet, so that its owner reconciles on changes of pods, growing volumes and their
// StorageClasses. For every kind whose pods and claims have its name in a label. Pure.
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
 * `label`: its value is the resource's name, or `nameIn` derives the name from it. The controller needs an index
 * `storageClassName` with `storageClassKey`.
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

/** Index key of resources without a class. No StorageClass can have this name. */
const defaultClass = '(default)'

/** Returns the index key of a resource with this class. */
export function storageClassKey(storageClassName: string | undefined): string {
  return storageClassName ?? defaultClass
}

/** Includes resources without a class, because only their claims show which class is or was the default. */
function keysOfClass({ metadata }: LiveObject, lookup: IndexLookup): readonly Key[] {
  return [metadata.name, defaultClass].flatMap((name) => lookup('storageClassName', name))
}
