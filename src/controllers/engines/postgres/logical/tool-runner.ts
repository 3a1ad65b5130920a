// Runs a PostgreSQL program as a child process, which an abort kills. Its output is a stream, and its error output is
// kept up to a limit. Invariant: the stream ends only if the program succeeded, because a killed program closes its
// output too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { LogicalError } from '../../logical-error.ts'
import type { DatabaseProgram } from '../../logical-tool.ts'
import { mostComplaints, toolFailure } from './tool-complaint.ts'

export interface ToolCall {
  readonly program: DatabaseProgram
  readonly folder: string
  readonly args: readonly string[]
  /** Complete: the program inherits no other variable. */
  readonly environment: Readonly<Record<string, string>>
  /** For messages: what the program dumps or restores. */
  readonly about: string
  readonly signal: AbortSignal
  /** Returns true if the printed text shows that the program has done its work despite exit code 1. */
  readonly forgives?: (printed: string) => boolean
}

/** Yields the program's output. A reader that stops early kills the program. */
export async function* streamOf(call: ToolCall): AsyncIterable<Uint8Array> {
  const { program, folder, args, environment, about, signal, forgives } = call
  signal.throwIfAborted()
  const child = spawn(`${folder}/${program}`, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  const complaints = collected(child.stderr)
  const ended = once(child, 'close') // Rejects if the program could not be started.
  ended.catch(() => undefined)
  try {
    // A stream without encoding yields buffers.
    yield* child.stdout as AsyncIterable<Uint8Array>
    const [exitCode, killedBy] = (await ended) as [number | null, NodeJS.Signals | null] // As documented for this event.
    signal.throwIfAborted()
    if (exitCode === 0 || (exitCode === 1 && forgives?.(complaints()) === true)) return
    throw toolFailure({ program, about, exit: exitCode ?? killedBy ?? 'a signal', printed: complaints() })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw isSpawnFailure(error) ? missing(program, folder) : error
  } finally {
    kill()
    signal.removeEventListener('abort', kill)
    // The process ends before this function does, also if the reader stops early.
    await ended.catch(() => undefined)
  }
}

/** Runs the program to its end. Returns its output as text. */
export async function runTool(call: ToolCall): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of streamOf(call)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function collected(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    if (text.length < mostComplaints) text += chunk
  })
  return () => text
}

function isSpawnFailure(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')
}

function missing(program: string, folder: string): LogicalError {
  const message = `${program} cannot be run from ${folder}; use an image with PostgreSQL's programs`
  return new LogicalError({ code: 'LogicalToolMissing', message, remedy: 'stop' })
}
