// Security contexts of pods with volumes, for the Pod Security Standard `restricted`, with a read-only root.
import type { Manifest } from './manifest.ts'

/**
 * Returns the security context of a pod whose processes and volumes belong to this user and the group of the same
 * number.
 */
export function restrictedUser(userId: number): Manifest {
  return {
    runAsNonRoot: true,
    runAsUser: userId,
    runAsGroup: userId,
    fsGroup: userId,
    // Otherwise every start walks the whole volume.
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  }
}

/** Security context of each of its containers: it writes only to its volumes. */
export const confinedContainer: Manifest = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}
