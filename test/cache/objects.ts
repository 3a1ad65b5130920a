// Live objects for the tests of this module.
import type { LiveObject, ObjectMeta } from '../../src/object/object.ts'

export interface ConfigMapFields extends Omit<Partial<ObjectMeta>, 'resourceVersion'> {
  readonly version: number | string
  readonly data?: Readonly<Record<string, string>>
}

/** Returns the ConfigMap `default/<name>` with uid `<name>-1` by default. */
export function configMap(name: string, { version, data, ...metadata }: ConfigMapFields): LiveObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', uid: `${name}-1`, ...metadata, resourceVersion: String(version) },
    ...(data === undefined ? {} : { data }),
  }
}

export function ownedBy(uid: string): Pick<ObjectMeta, 'ownerReferences'> {
  return { ownerReferences: [{ apiVersion: 'example.dev/v1', kind: 'Owner', name: 'owner', uid, controller: true }] }
}
