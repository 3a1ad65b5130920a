// Security contexts of pods with volumes, under the Pod Security Standard `restricted`, and with a read-only root.
import type { Manifest } from './manifest.ts'

/** The security context of a pod whose processes and volumes are this user's; his group has the same number. */
export function restrictedUser(userId: number): Manifest {
  return {
    runAsNonRoot: true,
    runAsUser: userId,
    runAsGroup: userId,
    fsGroup: userId,
    // Else every start walks the whole volume.
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  }
}

/** The security context of each of its containers: it writes to its volumes alone. */
export const confinedContainer: Manifest = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}
