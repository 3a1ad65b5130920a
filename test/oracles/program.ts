// Runs the program of the oracles, which reads one question per line and answers in the same order. Source:
// test/control-plane/kubernetes/oracles/main.go.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Json } from '../../src/base/json.ts'
import { parseWireJson, wireJson } from '../../src/base/wire-json.ts'

export type OracleAnswer = { readonly value?: Json; readonly error?: string }

const limitMs = 300_000

/** Returns all answers of one oracle in the order of the questions. */
export async function askProgram(program: string, oracle: string, questions: readonly Json[]): Promise<OracleAnswer[]> {
  const child = spawn(program, [oracle], { stdio: ['pipe', 'pipe', 'inherit'], timeout: limitMs })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stdin.on('error', () => {}) // The exit code reports a child that ended early.
  child.stdin.end(questions.map((question) => `${wireJson(question)}\n`).join(''))
  const [exitCode] = (await once(child, 'close')) as [number | null] // As documented for this event.
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1)
  if (exitCode !== 0 || lines.length !== questions.length)
    throw new Error(
      `the oracle ${oracle} ended with ${exitCode ?? 'a signal'} after ${lines.length} of ${questions.length} answers`,
    )
  return lines.map((line) => parseWireJson(line).value as OracleAnswer) // The program's own form.
}
