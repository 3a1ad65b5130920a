// How does a worker get at the store that a spec names? Which one it is stands in its order; a volume is mounted, and so are the keys of a
// bucket. Pure.
import type { WorkerCredentials } from '../../../constructs/index.ts'
import type { BackupSpec } from '../../../imports/wire/backup.ts'
import { type OrderedStore, storeFolder, storeKeys } from './work-order.ts'

/** Whoever only reads needs no word of how is written. */
export type StoreTarget = NonNullable<BackupSpec['target']>

export interface StorePlace {
  readonly store: OrderedStore
  readonly credentials: readonly WorkerCredentials[]
  /** The volume, if it is one. */
  readonly storeClaim?: string
}

/** Its definition requires one of every method that has a worker. */
export function targetOf({ target }: Pick<BackupSpec, 'target'>): StoreTarget {
  if (target === undefined) throw new Error('a Backup whose work is done by a worker has a target')
  return target
}

export function storePlace(target: StoreTarget): StorePlace {
  const { pvc, s3 } = target
  const secret = s3?.credentialsSecretRef?.name
  const [id, key, token] = storeKeys
  const files = [id, key, token].map((file) => ({ secret: secret ?? '', key: file, file, isOptional: file === token }))
  return {
    store: storeIn(target),
    credentials: secret === undefined ? [] : [{ folder: storeFolder, files }],
    ...(pvc === undefined ? {} : { storeClaim: pvc.claimName }),
  }
}

function storeIn({ pvc, s3 }: StoreTarget): OrderedStore {
  if (s3 === undefined) return { kind: 'folder', claim: pvc?.claimName ?? '', ...(pvc?.path && { path: pvc.path }) }
  const { bucket, prefix, region, endpoint, forcePathStyle, encryption, objectLockDays: lockDays } = s3
  return {
    ...{ kind: 's3', bucket, region, hasKeys: s3.credentialsSecretRef !== undefined },
    ...(prefix === undefined ? {} : { prefix }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    ...(encryption === undefined ? {} : { encryption }),
    ...(lockDays === undefined ? {} : { lockDays }),
  }
}
