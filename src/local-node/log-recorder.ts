// Recorder of a container's output: one file per run, with a timestamp on each line. A full file becomes `.1` and
// replaces the previous one, so a run keeps at most twice the limit. Only the node's user can read it.
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../base/clock.ts'
import { type LogStream, logLine, logTimestamp, longestLineBytes } from './log-line.ts'
import { makeFolder, privateFileMode, privateMode } from './private-folder-provisioner.ts'

export interface LogRecorderOptions {
  readonly clock: Clock
  readonly path: string
  readonly limitBytes: number
}

/** Recorder of one run. It buffers nothing in memory: a slow disk slows the container's writes. */
export class LogRecorder {
  readonly #options: LogRecorderOptions
  #file: FileHandle | undefined
  #sizeBytes = 0
  #tail: Promise<void> = Promise.resolve()

  constructor(options: LogRecorderOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    await makeFolder(dirname(this.#options.path), privateMode)
    this.#file = await open(this.#options.path, 'a', privateFileMode)
    this.#sizeBytes = (await this.#file.stat()).size
  }

  /** Records a stream. Resolves when the stream has ended and its output is written. */
  async record(stream: LogStream, output: Readable): Promise<void> {
    const decoder = new StringDecoder('utf8')
    let rest = ''
    try {
      for await (const chunk of output) {
        const lines = (rest + decoder.write(chunk)).split('\n')
        rest = lines.pop() ?? ''
        const long = rest.length > longestLineBytes ? rest : ''
        if (long !== '') rest = ''
        await this.#append(stream, lines, long)
      }
    } catch {
      // The process was killed with its output open; the received output is written.
    }
    if (rest !== '') await this.#append(stream, [rest], '')
  }

  /** Writes the received output and closes the file. */
  async close(): Promise<void> {
    await this.#tail
    await this.#file?.close()
    this.#file = undefined
  }

  #append(stream: LogStream, whole: readonly string[], part: string): Promise<void> {
    const timestamp = logTimestamp(this.#options.clock.now())
    const lines = [
      ...whole.map((text) => logLine({ timestamp, stream, isWhole: true, text })),
      ...(part === '' ? [] : [logLine({ timestamp, stream, isWhole: false, text: part })]),
    ]
    const written = this.#tail.then(() => this.#write(lines.join('')))
    this.#tail = written.catch(() => undefined) // Its own caller receives the error.
    return written
  }

  async #write(text: string): Promise<void> {
    if (text === '' || this.#file === undefined) return
    const bytes = Buffer.from(text)
    if (this.#sizeBytes > 0 && this.#sizeBytes + bytes.length > this.#options.limitBytes) await this.#rotate(this.#file)
    await this.#file.appendFile(bytes)
    this.#sizeBytes += bytes.length
  }

  async #rotate(full: FileHandle): Promise<void> {
    const { path } = this.#options
    await full.close()
    await rename(path, `${path}.1`)
    this.#file = await open(path, 'a', privateFileMode)
    this.#sizeBytes = 0
  }
}
