// Store in a folder, on a volume that is mounted in the worker.
// Invariant: a file is written under another name, synced, and only then gets its own name. So a power failure leaves
// it complete or absent.
import { createReadStream } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Remedy } from '../../index.ts'
import { checkedKey, checkedPrefix, isKey } from './artifact-key.ts'
import type { ArtifactStore, FoundArtifact, PutCall, StoredArtifact } from './artifact-store.ts'
import { digesting } from './digesting.ts'
import { StoreError, type StoreErrorCode } from './store-error.ts'

/** File operations: Node's, and in tests failing ones. */
export type FileOperations = Pick<
  typeof nodeFiles,
  'link' | 'mkdir' | 'open' | 'opendir' | 'rename' | 'rm' | 'rmdir' | 'stat'
>

export interface FolderStoreOptions {
  readonly folder: string
  /** Identifier of this worker: two workers that write the same key at once do not write the same file. */
  readonly attempt: string
  readonly files?: FileOperations
}

const partial = '.partial'

/** A worker that fills a volume is another user of the same group. */
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
      // Sound: chunks of a stream without encoding are buffers.
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

  /** Checks early that the volume supports hard links, because a link commits a backup after hours of work. */
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

  /** Creates a folder and syncs its parents. A new folder is durable only when its parent is. */
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

  /** Removes folders that have become empty, up to the store itself. */
  async #tidy(key: string): Promise<void> {
    for (let folder = key; folder !== '.' && folder !== ''; folder = dirname(folder)) {
      try {
        await this.#files.rmdir(join(this.#folder, folder))
      } catch {
        return // The folder has entries, or is gone.
      }
    }
  }

  /** Returns the keys in order; none if there is no such folder. */
  async #keys(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
    const parent = checkedPrefix(prefix).slice(0, prefix.lastIndexOf('/') + 1)
    const keys: string[] = []
    const visit = async (folder: string): Promise<void> => {
      signal.throwIfAborted()
      for await (const entry of await this.#files.opendir(join(this.#folder, folder))) {
        const key = `${folder}${entry.name}`
        // Other names are not the store's: a file system keeps its own files, as NFS does for files that are removed
        // while open.
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

  /** Returns errors unchanged that are no failure of files. */
  #storeError(error: unknown, attempt: string): unknown {
    const code = codeOf(error)
    if (error instanceof StoreError || code === undefined) return error
    const meaning = meanings.get(code)
    const message = `could not ${attempt} in ${this.#folder}: ${meaning?.words ?? `the file system says ${code}`}`
    return new StoreError({ code: meaning?.code ?? 'StoreUnavailable', message, remedy: meaning?.remedy ?? 'retry' })
  }
}

/** Error codes of volumes without hard links, such as SMB and some file systems in user space. */
const linkless: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

interface Meaning {
  readonly code: StoreErrorCode
  readonly words: string
  readonly remedy: Remedy
}

/** Meanings by errno. */
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
