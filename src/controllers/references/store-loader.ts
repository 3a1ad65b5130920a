// Reads what a store of backups names, and says why a worker may not use it. No Job mounts a Secret before this was asked.
import { type InvalidSpec, type LiveReader, Secret } from '../../index.ts'
import type { StoreTarget } from '../backup/store-place.ts'
import { endpointRejection, type ReferencePolicy, secretRejection } from './reference-policy.ts'

/** Undefined: the store may be used. A Secret that is missing may come with the next read, and without a label. */
export async function loadStoreRejection(
  { s3 }: StoreTarget,
  { live, namespace, policy }: { live: LiveReader; namespace: string | undefined; policy: ReferencePolicy },
): Promise<Required<InvalidSpec> | undefined> {
  if (s3 === undefined) return undefined
  const rejection = endpointRejection(hostOf(s3), policy)
  const name = s3.credentialsSecretRef?.name
  if (rejection !== undefined || name === undefined) return rejection
  const secret = await live.find(Secret, { namespace, name })
  if (secret !== undefined) return secretRejection(secret, 'Backup', policy)
  return { reason: 'SecretNotFound', message: `Secret ${name}, which has the keys of the store, is missing` }
}

/** The host that a worker speaks to; the bucket may stand in front of it. */
function hostOf({ endpoint, region }: NonNullable<StoreTarget['s3']>): string {
  return endpoint === undefined ? `s3.${region}.amazonaws.com` : new URL(endpoint).hostname
}
