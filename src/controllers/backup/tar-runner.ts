// Reads a tar archive while it passes, or unpacks it into a folder. One chunk is in memory at a time.
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ServerUser } from '../engines/physical-engine.ts'
import { BackupError } from './backup-error.ts'
import { TarScan } from './tar-scan.ts'

export interface ListenedTar {
  /** The same bytes. Throws if the archive ends too early. */
  readonly content: AsyncIterable<Uint8Array>
  /** Returns the text of the file, after the content has ended. Undefined if there is no such file. */
  text(): string | undefined
}

/** Limit of size, because the file is kept in memory. Further bytes are dropped. */
const largestBytes = 64 * 1_024 * 1_024

/** Keeps the text of one file of the archive. */
export function listenedTar(content: AsyncIterable<Uint8Array>, name: string): ListenedTar {
  const kept: Uint8Array[] = []
  let isFound = false
  async function* listened(): AsyncIterable<Uint8Array> {
    const scan = new TarScan()
    let isKept = false
    let size = 0
    for await (const chunk of content) {
      for (const part of scan.take(chunk)) {
        if (part.kind !== 'bytes') isKept = part.kind === 'file' && part.name === name
        else if (isKept) {
          size += part.bytes.byteLength
          if (size <= largestBytes) kept.push(Buffer.from(part.bytes))
        }
        isFound ||= isKept
      }
      yield chunk
    }
    scan.end()
  }
  return { content: listened(), text: () => (isFound ? Buffer.concat(kept).toString('utf8') : undefined) }
}

/** Unpacks into `folder`, which exists and is empty. Only `user` can access the files. */
export async function unpackTar(
  content: AsyncIterable<Uint8Array>,
  folder: string,
  user: ServerUser | undefined,
): Promise<void> {
  const scan = new TarScan()
  let file: FileHandle | undefined
  try {
    for await (const chunk of content) {
      for (const part of scan.take(chunk)) {
        if (part.kind === 'bytes') {
          await file?.writeFile(part.bytes)
          continue
        }
        await file?.close()
        file = undefined
        const path = join(folder, part.name)
        if (part.kind === 'folder') await makeFolder(path, user)
        else file = await makeFile(path, user)
      }
    }
    scan.end()
  } catch (error) {
    throw isNoSpace(error) ? full() : error
  } finally {
    await file?.close()
  }
}

async function makeFolder(path: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (user === undefined) return
  const folder = await open(path, 'r')
  await folder.chown(user.uid, user.gid).finally(() => folder.close())
}

async function makeFile(path: string, user: ServerUser | undefined): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  if (user !== undefined) await file.chown(user.uid, user.gid)
  return file
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

function full(): BackupError {
  const message =
    'there is no room for the files of the server where the backup is tried out; give the worker a larger disk'
  return new BackupError({ code: 'WorkFolderFull', message, remedy: 'retry' })
}
