// Termination message of a container: the end of its message file. With FallbackToLogsOnError and a failure without
// such a file, it is the end of the log. Source: kuberuntime_container.go getTerminationMessage, pkg/util/tail.
import { open } from 'node:fs/promises'
import { type LogSource, readLog } from './log-loader.ts'
import type { ContainerSpec } from './pod.ts'

export interface TerminationAsk {
  readonly spec: ContainerSpec
  readonly exitCode: number
  /** Path of the message file; undefined if the container has none. */
  readonly path: string | undefined
  readonly log: LogSource
}

const maxFileBytes = 4_096
const maxLogBytes = 2_048
const maxLogLines = 80

/** Returns the message; undefined if there is none. */
export async function readTerminationMessage(ask: TerminationAsk): Promise<string | undefined> {
  const { spec, exitCode, path, log } = ask
  const written = path === undefined ? '' : await endOf(path, maxFileBytes)
  if (written !== '') return written
  if (spec.terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined
  const options = { follow: false, previous: false, timestamps: false, limitBytes: undefined, since: undefined }
  const chunks: Buffer[] = []
  const signal = new AbortController().signal // No log is followed, so nothing aborts.
  for await (const chunk of readLog(log, { ...options, tailLines: maxLogLines }, signal)) chunks.push(chunk)
  const text = Buffer.concat(chunks).subarray(-maxLogBytes).toString('utf8')
  return text === '' ? undefined : text
}

/** Returns the end of a file; '' if it does not exist. */
async function endOf(path: string, maxBytes: number): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await file.close()
  }
}
