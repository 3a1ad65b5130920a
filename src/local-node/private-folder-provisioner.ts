// Folders of the node for data of pods and processes. Invariant: apart from the owner, only the user of a container can
// enter its folder, and only the owner can list it.
import { chmod, mkdir } from 'node:fs/promises'

/** Mode of a folder that only its owner can enter. */
export const privateMode = 0o700
/** Mode of a file that only its owner can read and write. */
export const privateFileMode = 0o600

/**
 * Returns the mode of a folder through which processes of other users reach their own folders. Only root starts such
 * processes.
 */
export function passageMode(userId: number | undefined): number {
  return userId === 0 ? 0o711 : privateMode
}

/** Makes the folder, or sets the mode of an existing one. A missing parent gets the same mode. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode })
  await chmod(path, mode) // An earlier version set a public mode, or the umask removes bits.
}
