// What did a container say of its own end? The end of its termination message file or, if it asked for that and failed without having
// written one, of its log. Source: kuberuntime_container.go getTerminationMessage, pkg/util/tail.
import { open } from 'node:fs/promises'
import { type LogSource, readLog } from './log-loader.ts'
import type { ContainerSpec } from './pod.ts'

export interface TerminationAsk {
  readonly spec: ContainerSpec
  readonly exitCode: number
  /** Undefined where the container has no such file. */
  readonly path: string | undefined
  readonly log: LogSource
}

const maxFileBytes = 4_096
const maxLogBytes = 2_048
const maxLogLines = 80

/** Undefined where it said nothing. */
export async function readTerminationMessage(ask: TerminationAsk): Promise<string | undefined> {
  const { spec, exitCode, path, log } = ask
  const written = path === undefined ? '' : await endOf(path, maxFileBytes)
  if (written !== '') return written
  if (spec.terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined
  const options = { follow: false, previous: false, timestamps: false, limitBytes: undefined, since: undefined }
  const chunks: Buffer[] = []
  const signal = new AbortController().signal // Nothing is followed.
  for await (const chunk of readLog(log, { ...options, tailLines: maxLogLines }, signal)) chunks.push(chunk)
  const text = Buffer.concat(chunks).subarray(-maxLogBytes).toString('utf8')
  return text === '' ? undefined : text
}

/** '' for a file that is not there any more. */
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
