// Detects whether the cluster has stored the password. A password that only this process knows would be lost with it,
// so no server gets it and no status reports it before (I3). Pure.
import { type Child, isOf, Secret } from '../../index.ts'
import { heldIn } from './binding-secret.ts'
import { credentialHash, type Held, newestOf } from './rotation.ts'

/** `children`: as applied or found in this reconcile. */
export function isStored(held: Held, children: readonly Child[]): boolean {
  const secret = children.find(({ object }) => isOf(Secret, object))?.object
  const stored = secret === undefined ? undefined : heldIn(secret)
  return stored !== undefined && credentialHash(newestOf(stored)) === credentialHash(newestOf(held))
}
