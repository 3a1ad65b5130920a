// How is a folder a store? A volume that is mounted where the worker runs. A file is written under another name, made safe on the disk, and
// then gets its own: in this order, so that at any moment a power failure leaves it whole or not there.
import { createReadStream } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Remedy } from '../../index.ts'
import { checkedKey, checkedPrefix, isKey } from './artifact-key.ts'
import type { ArtifactStore, FoundArtifact, PutCall, StoredArtifact } from './artifact-store.ts'
import { digesting } from './digesting.ts'
import { StoreError, type StoreErrorCode } from './store-error.ts'

/** What is done with files; Node's, and in tests ones that fail. */
export type FileOperations = Pick<
  typeof nodeFiles,
  'link' | 'mkdir' | 'open' | 'opendir' | 'rename' | 'rm' | 'rmdir' | 'stat'
>

export interface FolderStoreOptions {
  readonly folder: string
  /** Of this worker alone: two that write the same key at once do not write the same file. */
  readonly attempt: string
  readonly files?: FileOperations
}

const partial = '.partial'

/** A worker that fills a volume is another user, and of our group. */
const mode = 0o640

export class FolderStore implements ArtifactStore {
  readonly place: string
  readonly #folder: string
  readonly #attempt: string
  readonly #files: FileOperations

  constructor({ folder, attempt, files = nodeFiles }: FolderStoreOptions) {
    this.place = folder
    this.#folder = folder
    this.#attempt = checkedKey(attempt)
    this.#files = files
  }

  async put(key: string, content: AsyncIterable<Uint8Array>, { signal, ifAbsent }: PutCall): Promise<StoredArtifact> {
    const path = this.#path(key)
    const draft = `${path}.${this.#attempt}${partial}`
    try {
      await this.#makeFolder(dirname(key))
      const stored = await this.#write(draft, content, signal)
      signal.throwIfAborted()
      await (ifAbsent === undefined ? this.#files.rename(draft, path) : this.#files.link(draft, path))
      if (ifAbsent !== undefined) await this.#files.rm(draft)
      await this.#flushFolder(dirname(path))
      return stored
    } catch (error) {
      await this.#files.rm(draft, { force: true }).catch(() => undefined) // The first failure counts; a sweep finds the file.
      throw signal.aborted ? signal.reason : this.#storeError(error, `store ${key}`)
    }
  }

  async *read(key: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    try {
      // Chunks of a stream without encoding are buffers.
      yield* createReadStream(this.#path(key), { signal }) as AsyncIterable<Uint8Array>
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#storeError(error, `read ${key}`)
    }
  }

  async find(key: string, signal: AbortSignal): Promise<FoundArtifact | undefined> {
    signal.throwIfAborted()
    try {
      const { size } = await this.#files.stat(this.#path(key))
      return { key, sizeBytes: size }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw this.#storeError(error, `look for ${key}`)
    }
  }

  async *list(prefix: string, signal: AbortSignal): AsyncIterable<FoundArtifact> {
    for (const key of await this.#keys(prefix, signal)) {
      if (key.endsWith(partial)) continue
      const found = await this.find(key, signal)
      if (found !== undefined) yield found
    }
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    try {
      await this.#files.rm(this.#path(key), { force: true })
      await this.#tidy(dirname(key))
    } catch (error) {
      throw this.#storeError(error, `remove ${key}`)
    }
  }

  async sweep(prefix: string, signal: AbortSignal): Promise<number> {
    const drafts = (await this.#keys(prefix, signal)).filter((key) => key.endsWith(partial))
    for (const key of drafts) await this.delete(key, signal)
    return drafts.length
  }

  #path(key: string): string {
    return join(this.#folder, checkedKey(key))
  }

  async #write(draft: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<StoredArtifact> {
    const { stream, result } = digesting()
    const file = await this.#files.open(draft, 'w', mode)
    try {
      await this.#tryLink(draft)
      await pipeline(content, stream, (source: AsyncIterable<Uint8Array>) => file.writeFile(source), { signal })
      await file.sync()
    } finally {
      await file.close()
    }
    return result()
  }

  /** A backup is committed by one: better known before hours are spent. */
  async #tryLink(draft: string): Promise<void> {
    const link = `${draft.slice(0, -partial.length)}.link${partial}`
    await this.#files.rm(link, { force: true })
    try {
      await this.#files.link(draft, link)
    } catch (error) {
      throw linkless.has(codeOf(error) ?? '') ? this.#withoutLinks() : error
    }
    await this.#files.rm(link)
  }

  #withoutLinks(): StoreError {
    const message = `the volume at ${this.#folder} makes no hard links, by which a backup is committed; take one that does, such as NFS, or S3`
    return new StoreError({ code: 'StoreRefused', message, remedy: 'stop' })
  }

  /** A new folder is safe when the one that it is in is. */
  async #makeFolder(key: string): Promise<void> {
    const first = await this.#files.mkdir(join(this.#folder, key), { recursive: true })
    if (first === undefined) return
    for (let folder = join(this.#folder, key); folder.length >= first.length; folder = dirname(folder)) {
      await this.#flushFolder(dirname(folder))
    }
  }

  async #flushFolder(path: string): Promise<void> {
    const folder = await this.#files.open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  /** Folders that have become empty go, up to the store itself. */
  async #tidy(key: string): Promise<void> {
    for (let folder = key; folder !== '.' && folder !== ''; folder = dirname(folder)) {
      try {
        await this.#files.rmdir(join(this.#folder, folder))
      } catch {
        return // Something is in it, or it is gone.
      }
    }
  }

  /** In order; none where there is no such folder. */
  async #keys(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
    const parent = checkedPrefix(prefix).slice(0, prefix.lastIndexOf('/') + 1)
    const keys: string[] = []
    const visit = async (folder: string): Promise<void> => {
      signal.throwIfAborted()
      for await (const entry of await this.#files.opendir(join(this.#folder, folder))) {
        const key = `${folder}${entry.name}`
        // What has another name is not ours: a file system keeps files of its own, as NFS does what was removed while it was read.
        if (!isKey(key)) continue
        if (entry.isDirectory()) await visit(`${key}/`)
        else if (entry.isFile() && key.startsWith(prefix)) keys.push(key)
      }
    }
    try {
      await visit(parent)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw this.#storeError(error, 'list what is there')
    }
    return keys.sort()
  }

  /** What is no failure of files is somebody else's, and stays as it is. */
  #storeError(error: unknown, attempt: string): unknown {
    const code = codeOf(error)
    if (error instanceof StoreError || code === undefined) return error
    const meaning = meanings.get(code)
    const message = `could not ${attempt} in ${this.#folder}: ${meaning?.words ?? `the file system says ${code}`}`
    return new StoreError({ code: meaning?.code ?? 'StoreUnavailable', message, remedy: meaning?.remedy ?? 'retry' })
  }
}

/** What volumes say to it that have none, as SMB and some in user space. */
const linkless: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

interface Meaning {
  readonly code: StoreErrorCode
  readonly words: string
  readonly remedy: Remedy
}

/** By errno. */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['ENOSPC', { code: 'StoreFull', words: 'the disk is full', remedy: 'retry' }],
  ['EDQUOT', { code: 'StoreFull', words: 'the quota is used up', remedy: 'retry' }],
  ['EFBIG', { code: 'StoreFull', words: 'the file is too large for the file system', remedy: 'stop' }],
  ['ENOENT', { code: 'NotStored', words: 'it is not there', remedy: 'stop' }],
  ['EEXIST', { code: 'AlreadyStored', words: 'it is there already', remedy: 'stop' }],
  ['EACCES', { code: 'AccessDenied', words: 'the worker may not', remedy: 'stop' }],
  ['EPERM', { code: 'AccessDenied', words: 'the worker may not', remedy: 'stop' }],
  ['EROFS', { code: 'AccessDenied', words: 'the volume is read only', remedy: 'stop' }],
])

function codeOf(error: unknown): string | undefined {
  const isSystemError = error instanceof Error && 'errno' in error && 'code' in error
  return isSystemError && typeof error.code === 'string' ? error.code : undefined
}
