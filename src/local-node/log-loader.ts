// Reader of the log of one run of a container: the rotated file, the current one and, with `follow`, later output until
// the run ends.
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { type Clock, sleep } from '../base/clock.ts'
import type { LogOptions } from './log-query.ts'
import { LogView, lastLines } from './log-view.ts'

export interface LogSource {
  readonly clock: Clock
  readonly path: string
  /** The run can still write output. */
  readonly isLive: () => boolean
}

const pollMs = 100
const chunkBytes = 64 * 1024

/** Yields the log until its end, the reader's limit or the abort. A log that does not exist is empty. */
export async function* readLog(
  source: LogSource,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const view = new LogView(options)
  const tail = new FileTail(source.path)
  try {
    const old = linesOf(await readFile(`${source.path}.1`, 'utf8').catch(() => ''))
    const begun = [...old, ...(await tail.read())]
    const shown = options.tailLines === undefined ? begun : lastLines(begun, options.tailLines)
    yield* show(view, shown)
    while (options.follow && !view.isFull && !signal.aborted) {
      // Checked before the read, so that the read includes all output before the end.
      const isLive = source.isLive()
      yield* show(view, await tail.read())
      if (!isLive) return
      // Only the signal rejects, and then the loop ends.
      await sleep(source.clock, pollMs, signal).catch(() => undefined)
    }
  } finally {
    await tail.close()
  }
}

function* show(view: LogView, lines: readonly string[]): Generator<Buffer, void> {
  for (const line of lines) {
    if (view.isFull) return
    const bytes = view.show(line)
    if (bytes.length > 0) yield bytes
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1)
}

/** Reader of a growing file; after a rotation it continues with the new file. */
class FileTail {
  readonly #path: string
  #file: FileHandle | undefined
  #rest = Buffer.alloc(0)

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the complete lines since the last call. */
  async read(): Promise<readonly string[]> {
    this.#file ??= await this.#open()
    if (this.#file === undefined) return []
    const lines = await this.#readOn(this.#file)
    const next = await this.#successorOf(this.#file)
    if (next === undefined) return lines
    const last = await this.#readOn(this.#file)
    await this.#file.close()
    this.#file = next
    return [...lines, ...last, ...(await this.#readOn(next))]
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #readOn(file: FileHandle): Promise<readonly string[]> {
    const parts = [this.#rest]
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, null)
      if (bytesRead === 0) break
      parts.push(buffer.subarray(0, bytesRead))
    }
    const bytes = Buffer.concat(parts)
    const end = bytes.lastIndexOf(0x0a) + 1
    this.#rest = bytes.subarray(end)
    return linesOf(bytes.subarray(0, end).toString('utf8'))
  }

  async #successorOf(file: FileHandle): Promise<FileHandle | undefined> {
    const next = await this.#open()
    if (next === undefined) return undefined
    const [before, after] = await Promise.all([file.stat(), next.stat()])
    if (before.ino !== after.ino) return next
    await next.close()
    return undefined
  }

  #open(): Promise<FileHandle | undefined> {
    return open(this.#path, 'r').catch(() => undefined) // The file does not exist yet, or a rotation is in progress.
  }
}
