// Does the cluster know the password already? One that only this process knows would be lost with it, so that no server hears of it
// before, and no status tells of it (I3). Pure.
import { type Child, isOf, Secret } from '../../index.ts'
import { heldIn } from './binding-secret.ts'
import { credentialHash, type Held, newestOf } from './rotation.ts'

/** `children`: as this turn has applied or found them. */
export function isStored(held: Held, children: readonly Child[]): boolean {
  const secret = children.find(({ object }) => isOf(Secret, object))?.object
  const stored = secret === undefined ? undefined : heldIn(secret)
  return stored !== undefined && credentialHash(newestOf(stored)) === credentialHash(newestOf(held))
}
