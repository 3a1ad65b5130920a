// A store with three replicas in the model API server, with the pods and claims of its StatefulSet. Claim templates are
// immutable.
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import { PersistentVolumeClaim, Pod, StatefulSet, StorageClass } from '../../../src/index.ts'
import { KubeError } from '../../../src/kube/kube-errors.ts'
import { at, type ModelRequest } from '../../model-api.ts'
import { World } from '../../reconcile/life.ts'

export const key = 'default/cart'
export const labels = { 'data.konverge.dev/replicatedkvstore': 'cart' }
export const replicas = 3
export const claimKeys = Array.from({ length: replicas }, (_, ordinal) => `default/data-cart-${ordinal}`)

/** Creates a store with three replicas, and the pods and claims of its StatefulSet. */
export function storeOfThree(): World {
  const world = new World()
  const { api } = world
  api.put(StorageClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    allowVolumeExpansion: true,
  })
  api.put(ReplicatedKVStore, {
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata: { name: 'cart', namespace: 'default' },
    spec: {
      image: 'kv',
      replicas,
      port: 6379,
      storageClassName: 'fast',
      storage: { size: '1Gi', reuseRetained: 'Refuse' },
      pvcRetention: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      pdb: { enabled: true },
    },
  })
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    api.put(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `data-cart-${ordinal}`, namespace: 'default', labels },
      spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    })
    api.put(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `cart-${ordinal}`, namespace: 'default', labels },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    })
  }
  return world
}

/** Rejects a changed template, like the API server. */
export function refuseNewTemplates({ api }: World, { verb, plural, body }: ModelRequest): void {
  const live = api.find(StatefulSet, key)
  if (verb !== 'apply' || plural !== 'statefulsets' || live === undefined) return
  const templates = ['spec', 'volumeClaimTemplates'] as const
  if (JSON.stringify(at(body as never, ...templates)) === JSON.stringify(at(live, ...templates))) return
  const message = "updates to statefulset spec for fields other than 'replicas' and others are forbidden"
  throw new KubeError({ code: 'Invalid', message, causes: [{ reason: 'FieldValueForbidden', message, field: 'spec' }] })
}
