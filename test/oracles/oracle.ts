// What would the control plane's own function answer? Starts the Go program of test/control-plane/kubernetes/oracles with
// one oracle's name and asks it many questions at once, one line each.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inject } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { parseWireJson, wireJson } from '../../src/base/wire-json.ts'

export type OracleAnswer = { readonly value?: Json; readonly error?: string }

declare module 'vitest' {
  interface ProvidedContext {
    /** The program that answers, built by vitest-global-setup.ts. */
    readonly oracles: string
  }
}

const limitMs = 300_000

/**
 * All answers, in the order of the questions. An oracle that fails on a question answers with an error.
 *
 * @example const [answer] = await ask('quantity', ['1024Mi'])   // { value: '1Gi' }
 */
export async function ask(oracle: string, questions: readonly Json[]): Promise<OracleAnswer[]> {
  const child = spawn(inject('oracles'), [oracle], { stdio: ['pipe', 'pipe', 'inherit'], timeout: limitMs })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stdin.on('error', () => {}) // A child that ended early is told by its exit code.
  child.stdin.end(questions.map((question) => `${wireJson(question)}\n`).join(''))
  const [exitCode] = (await once(child, 'close')) as [number | null] // As documented for this event.
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1)
  if (exitCode !== 0 || lines.length !== questions.length)
    throw new Error(
      `the oracle ${oracle} ended with ${exitCode ?? 'a signal'} after ${lines.length} of ${questions.length} answers`,
    )
  return lines.map((line) => parseWireJson(line).value as OracleAnswer) // The program's own form.
}
