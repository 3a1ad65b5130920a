// Access of a worker to the store of a spec. The order describes the store; its volume, or the keys of its bucket, are
// mounted. Pure.
import type { WorkerCredentials } from '../../../constructs/index.ts'
import type { BackupSpec } from '../../../imports/wire/backup.ts'
import { type OrderedStore, storeFolder, storeKeys } from './work-order.ts'

/** Store of a spec. Readers need no settings for writing. */
export type StoreTarget = NonNullable<BackupSpec['target']>

export interface StorePlace {
  readonly store: OrderedStore
  readonly credentials: readonly WorkerCredentials[]
  /** Name of the claim, if the store is a volume. */
  readonly storeClaim?: string
}

/** Returns the target. The CRD requires one for every method that has a worker. */
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
