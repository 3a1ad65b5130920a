// User of a container's process, from the security contexts of the container and its pod. Only root can switch users.
// Source: core/v1 SecurityContext; the container's value overrides the pod's.
import type { MachineUser } from './images.ts'
import type { ContainerSpec, PodObject } from './pod.ts'

/**
 * Returns the requested user; undefined if none is requested. A user without a group gets the group with the user's
 * number. In a container it would be root's group, but here that is the machine's root.
 */
export function requestedUser({ spec }: PodObject, { securityContext }: ContainerSpec): MachineUser | undefined {
  const uid = securityContext?.runAsUser ?? spec.securityContext?.runAsUser
  if (uid === undefined) return undefined
  const gid = securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup ?? spec.securityContext?.fsGroup ?? uid
  return { uid, gid }
}
