// Reads the Secret that a store of backups names, and returns why a worker may not use the store.
// Invariant: no Job mounts a Secret before this check.
import { type InvalidSpec, type LiveReader, Secret } from '../../index.ts'
import type { StoreTarget } from '../backup/store-place.ts'
import { endpointRejection, type ReferencePolicy, secretRejection } from './reference-policy.ts'

/** Undefined if the store may be used. Rejects a missing Secret, which may appear later, and without a label. */
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

/** Returns the host that a worker connects to; the bucket may precede it. */
function hostOf({ endpoint, region }: NonNullable<StoreTarget['s3']>): string {
  return endpoint === undefined ? `s3.${region}.amazonaws.com` : new URL(endpoint).hostname
}
