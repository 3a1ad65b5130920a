// A zone in a folder: one file per hostname.
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Zone, ZoneEntry } from './zone.ts'

export class DirectoryZone implements Zone {
  readonly name: string

  constructor(folder: string) {
    this.name = folder
  }

  async read(hostname: string): Promise<ZoneEntry | undefined> {
    try {
      return JSON.parse(await readFile(this.#path(hostname), 'utf8')) as ZoneEntry // Written by `write` below.
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined
      throw thrown
    }
  }

  /** Concurrent readers see the old file or the new one, never a part of one. */
  async write(hostname: string, entry: ZoneEntry, { isNew }: { readonly isNew: boolean }): Promise<void> {
    await mkdir(this.name, { recursive: true })
    const draft = `${this.#path(hostname)}.draft`
    await writeFile(draft, JSON.stringify(entry))
    if (!isNew) return await rename(draft, this.#path(hostname))
    await link(draft, this.#path(hostname)).finally(() => rm(draft))
  }

  async remove(hostname: string): Promise<void> {
    await rm(this.#path(hostname), { force: true })
  }

  #path(hostname: string): string {
    return join(this.name, hostname)
  }
}

/** Returns the system's code of an error: `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}
