// What has a StatefulSet made, and what of it is there? Pods and claims by their names, since anybody's may bear the same labels, and the
// classes that say whether the claims can grow. Read from memory where `watchesOf` is declared.
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

/** A StatefulSet, be it there or not. */
export interface StatefulSetPlace {
  readonly namespace: string | undefined
  readonly name: string
  /** Those by which it finds its pods; its claims bear them too. */
  readonly labels: Readonly<Record<string, string>>
}

export async function loadPods(live: LiveReader, place: StatefulSetPlace): Promise<readonly LiveObject[]> {
  const { namespace, name, labels } = place
  return numbered(name, await live.list(Pod, { namespace, labels }))
}

/** The claims of one of its templates. */
export async function loadClaims(
  live: LiveReader,
  { namespace, name, labels }: StatefulSetPlace,
  volumeName: string,
): Promise<readonly LiveObject[]> {
  return numbered(`${volumeName}-${name}`, await live.list(PersistentVolumeClaim, { namespace, labels }))
}

/** The classes of these claims that exist, by name. A claim remembers the one it got where nobody named one. */
export async function loadStorageClasses(
  live: LiveReader,
  claims: readonly LiveObject[],
): Promise<ReadonlyMap<string, LiveObject>> {
  const names = [...new Set(claims.map(classOf))].filter((name) => name !== '')
  const found = await Promise.all(names.map((name) => live.find(StorageClass, { name })))
  return new Map(found.flatMap((storageClass) => (storageClass ? [[storageClass.metadata.name, storageClass]] : [])))
}

/** Is a class asked for that is not there? Without a name the cluster's default class is taken; the empty name means volumes that exist already. */
export async function lacksStorageClass(live: LiveReader, storageClassName: string | undefined): Promise<boolean> {
  if (storageClassName === undefined || storageClassName === '') return false
  return (await live.find(StorageClass, { name: storageClassName })) === undefined
}

/** For a clean-up: undefined when no pod is left that nobody else takes away. A StatefulSet that was left alone keeps its pods. */
export async function takeHeadlessPods(live: LiveReader, place: StatefulSetPlace): Promise<CleanupResult | undefined> {
  const pods = await loadPods(live, place)
  if (pods.length === 0) return undefined
  const { namespace, name } = place
  const statefulSet = await live.find(StatefulSet, { namespace, name })
  return statefulSet === undefined ? headlessPodStep(pods) : undefined
}
