// Folders of the node that hold what pods and their processes keep. Invariant: of the other users of the machine only the one that a container runs as
// enters a folder, and nobody but its owner lists one.
import { chmod, mkdir } from 'node:fs/promises'

/** Mode of a folder that only its owner enters. */
export const privateMode = 0o700
/** Mode of a file that only its owner reads and writes. */
export const privateFileMode = 0o600

/** Mode of a folder through which processes of other users get to their own. Only root starts such processes. */
export function passageMode(userId: number | undefined): number {
  return userId === 0 ? 0o711 : privateMode
}

/** Makes the folder, or gives it the mode if it exists. Its parent has to exist, or is made with the same mode. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode })
  await chmod(path, mode) // An earlier version made it open to all, or the mask of the process takes rights away.
}
