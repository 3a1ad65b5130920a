// How long from the start of a process to the first request that it has answered? Node's own start is measured beside it.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bestOf } from './measure.ts'

export interface StartFigures {
  readonly nodeMs: number
  readonly fromSourcesMs: number
  readonly compiledMs: number
}

const script = fileURLToPath(new URL('first-answer.ts', import.meta.url))
const rounds = 15

/** The compiled sources have to be there: `npm run build`. */
export async function startFigures(): Promise<StartFigures> {
  const best = (args: readonly string[]) => bestOf(rounds, () => untilOutput(args), 'less')
  return {
    nodeMs: await best(['-e', 'process.stdout.write("200")']),
    fromSourcesMs: await best([script, 'src', 'ts']),
    compiledMs: await best([script, 'dist/src', 'js']),
  }
}

function untilOutput(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let elapsedMs = 0
    child.stdout.once('data', (text: Buffer) => {
      elapsedMs = performance.now() - startedMs
      assert.match(text.toString(), /^200/)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(elapsedMs)
      else reject(new Error(`the process ended with ${code}`))
    })
  })
}
