// Folders of files on this machine, all below one root.
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from './files.ts'

/** File with the ownership mark of a folder. */
const markFile = '.mark'

export class DirectoryFiles implements Files {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  async list(folder: string): Promise<readonly string[] | undefined> {
    const names = await orUndefined(readdir(join(this.#root, folder)))
    return names?.filter((name) => name !== markFile).sort()
  }

  async markOf(folder: string): Promise<string | undefined> {
    return await orUndefined(readFile(join(this.#root, folder, markFile), 'utf8'))
  }

  async copy(from: string | undefined, to: string, mark: string): Promise<void> {
    await mkdir(join(this.#root, to), { recursive: true })
    await writeFile(join(this.#root, to, markFile), mark)
    if (from === undefined) return
    for (const name of (await this.list(from)) ?? []) await this.#copyFile(join(from, name), join(to, name))
  }

  async remove(folder: string): Promise<void> {
    await rm(join(this.#root, folder), { recursive: true, force: true })
  }

  async pointer(archive: string): Promise<string | undefined> {
    return await orUndefined(readFile(this.#pointerOf(archive), 'utf8'))
  }

  async point(archive: string, folder: string): Promise<void> {
    const draft = `${this.#pointerOf(archive)}.draft`
    await writeFile(draft, folder)
    await rename(draft, this.#pointerOf(archive))
  }

  /** An incomplete copy does not count as a file of the folder. */
  async #copyFile(from: string, to: string): Promise<void> {
    const draft = join(this.#root, `${to}.draft`)
    await copyFile(join(this.#root, from), draft)
    await rename(draft, join(this.#root, to))
  }

  #pointerOf(archive: string): string {
    return join(this.#root, `${archive}.pointer`)
  }
}

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
