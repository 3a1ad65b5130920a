// As whom does a container's process run? As the security contexts of the container and its pod say, where the node may switch users,
// which only root may. Source: core/v1 SecurityContext; the container's own word wins.
import type { MachineUser } from './images.ts'
import type { ContainerSpec, PodObject } from './pod.ts'

/**
 * Undefined where nothing is said. A user without a group gets the group of his own number, not root's as in a container: this is the
 * machine's own root.
 */
export function askedUser({ spec }: PodObject, { securityContext }: ContainerSpec): MachineUser | undefined {
  const uid = securityContext?.runAsUser ?? spec.securityContext?.runAsUser
  if (uid === undefined) return undefined
  const gid = securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup ?? spec.securityContext?.fsGroup ?? uid
  return { uid, gid }
}
