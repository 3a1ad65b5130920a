// Reads the Secrets that the environment of a store names, and returns which rule of the operator the store breaks.
import type { ReplicatedKVStoreSpec } from '../../../imports/wire/replicated-kv-store.ts'
import { type InvalidSpec, type LiveReader, type ObjectMeta, Secret } from '../../index.ts'
import {
  imageRejection,
  type ReferencePolicy,
  secretRejection,
  storageClassRejection,
} from '../references/reference-policy.ts'
import { reservedKeyRejection } from '../references/reserved-keys.ts'

/** An optional Secret must exist too: pods would read a later one without its owner's consent. */
export async function loadKvRejection(
  { metadata: { namespace }, spec }: { readonly metadata: ObjectMeta; readonly spec: ReplicatedKVStoreSpec },
  live: LiveReader,
  policy: ReferencePolicy,
): Promise<Required<InvalidSpec> | undefined> {
  const rejection =
    imageRejection(spec.image, policy) ??
    storageClassRejection(spec.storageClassName, policy) ??
    reservedKeyRejection({ 'spec.podTemplate.annotations': spec.podTemplate?.annotations })
  if (rejection !== undefined) return rejection
  const names = new Set((spec.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []))
  for (const name of names) {
    const secret = await live.find(Secret, { namespace, name })
    const message = `Secret ${name}, which spec.env names, is missing`
    if (secret === undefined) return { reason: 'SecretNotFound', message }
    const refused = secretRejection(secret, 'ReplicatedKVStore', policy)
    if (refused !== undefined) return refused
  }
  return undefined
}
