// Kubeconfig file of an embedded API server. Invariants: only its user can read it, the server's stop removes it, and
// it overwrites no file of another origin.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isOwnKubeconfig } from '../apiserver/kubeconfig.ts'
import { messageOf } from '../base/errors.ts'
import { systemRandom } from '../base/random.ts'
import { CommandError } from './command-error.ts'

export interface KubeconfigFile {
  readonly path: string
  /** Removes the file, unless another server has overwritten it. */
  remove(): Promise<void>
}

/**
 * Writes the file. Rejects with a CommandError of exit code 2 if that fails, or if another program wrote an existing
 * file.
 */
export async function writeKubeconfig(path: string, text: string): Promise<KubeconfigFile> {
  await checkThatItMayGo(path)
  try {
    await mkdir(dirname(path), { recursive: true })
    // The rename is atomic, and others can never read the file, whatever mode an earlier file had. In a shared folder
    // such as /tmp, another user could place a link or file at a guessable name.
    const draft = `${path}.${systemRandom.uuid()}`
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
  } catch (thrown) {
    throw new CommandError(`cannot write the kubeconfig ${path}: ${messageOf(thrown)}`, 2)
  }
  return {
    path,
    remove: async () => {
      if ((await textOf(path)) === text) await rm(path, { force: true })
    },
  }
}

async function checkThatItMayGo(path: string): Promise<void> {
  const text = await textOf(path).catch((thrown: unknown) => {
    throw new CommandError(`cannot write the kubeconfig ${path}: ${messageOf(thrown)}`, 2)
  })
  if (text === undefined || isOwnKubeconfig(text)) return
  throw new CommandError(
    `--kubeconfig: ${path} is there and not konverge’s own, and is not written over; name another file`,
    2,
  )
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
