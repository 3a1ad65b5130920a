// Reads the pods and claims of a StatefulSet by name, because other objects may have the same labels. Also reads the
// StorageClasses that determine whether the claims can grow. Reads from memory where `watchesOf` is declared.
import {
  type CleanupResult,
  type LiveObject,
  type LiveReader,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from '../../index.ts'
import { headlessPodStep } from './headless-pods.ts'
import { numbered } from './replica.ts'
import { classOf } from './volume-growth.ts'

/** A StatefulSet, which need not exist. */
export interface StatefulSetPlace {
  readonly namespace: string | undefined
  readonly name: string
  /** Labels by which it selects its pods. Its claims have them too. */
  readonly labels: Readonly<Record<string, string>>
}

export async function loadPods(live: LiveReader, place: StatefulSetPlace): Promise<readonly LiveObject[]> {
  const { namespace, name, labels } = place
  return numbered(name, await live.list(Pod, { namespace, labels }))
}

/** Returns the claims of one of its templates. */
export async function loadClaims(
  live: LiveReader,
  { namespace, name, labels }: StatefulSetPlace,
  volumeName: string,
): Promise<readonly LiveObject[]> {
  return numbered(`${volumeName}-${name}`, await live.list(PersistentVolumeClaim, { namespace, labels }))
}

/**
 * Returns the existing StorageClasses of these claims, by name. A claim without a class in its template has the default
 * class in its spec.
 */
export async function loadStorageClasses(
  live: LiveReader,
  claims: readonly LiveObject[],
): Promise<ReadonlyMap<string, LiveObject>> {
  const names = [...new Set(claims.map(classOf))].filter((name) => name !== '')
  const found = await Promise.all(names.map((name) => live.find(StorageClass, { name })))
  return new Map(found.flatMap((storageClass) => (storageClass ? [[storageClass.metadata.name, storageClass]] : [])))
}

/**
 * Returns whether the named StorageClass is missing. Without a name the default class applies; the empty name means
 * existing volumes.
 */
export async function lacksStorageClass(live: LiveReader, storageClassName: string | undefined): Promise<boolean> {
  if (storageClassName === undefined || storageClassName === '') return false
  return (await live.find(StorageClass, { name: storageClassName })) === undefined
}

/**
 * For a clean-up: undefined when no pod is left that only the operator deletes. A StatefulSet that was left alone keeps
 * its pods.
 */
export async function takeHeadlessPods(live: LiveReader, place: StatefulSetPlace): Promise<CleanupResult | undefined> {
  const pods = await loadPods(live, place)
  if (pods.length === 0) return undefined
  const { namespace, name } = place
  const statefulSet = await live.find(StatefulSet, { namespace, name })
  return statefulSet === undefined ? headlessPodStep(pods) : undefined
}
