// As whom does a pod with volumes run? As one user who owns them, under the Pod Security Standard `restricted`.
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
