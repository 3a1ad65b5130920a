// Objects for tests: the smallest live object for a given purpose.
import type { LiveObject, ObjectMeta } from '../src/object/object.ts'

export interface Given {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: Partial<ObjectMeta>
  readonly [field: string]: unknown
}

/** Returns a live object with plain default values. */
export function live({ apiVersion = 'v1', kind = 'ConfigMap', metadata = {}, ...fields }: Given = {}): LiveObject {
  const { name = 'a', namespace = 'default', uid = `uid-of-${name}`, resourceVersion = '1', ...more } = metadata
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, ...more }, ...fields }
}

/** Returns an adopted ReplicatedKVStore, unless `metadata` says otherwise. */
export function store({ metadata = {}, ...fields }: Given = {}): LiveObject {
  return live({
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata: { name: 'store', uid: 'store-uid', generation: 1, ...metadata },
    spec: {},
    ...fields,
  })
}

/** Returns a child that the store controls. */
export function childOf(parent: LiveObject, { metadata = {}, ...given }: Given): LiveObject {
  const { apiVersion, kind } = parent
  const { name, uid } = parent.metadata
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }]
  return live({ ...given, metadata: { ownerReferences, ...metadata } })
}
