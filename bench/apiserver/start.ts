// Time from the start of a process to the first answered request: of `konverge apiserver` over HTTPS, and of a test
// that starts its own cluster. Node's own start is measured for comparison. Build the package first: `npm run build`.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bestOf } from './measure.ts'
import { Asker, withOurServer } from './over-http.ts'

export interface StartFigures {
  readonly nodeMs: number
  readonly programMs: number
  readonly testMs: number
}

const test = fileURLToPath(new URL('first-answer.ts', import.meta.url))
const rounds = 15

export async function startFigures(): Promise<StartFigures> {
  return {
    nodeMs: await bestOf(rounds, () => untilOutput(['-e', 'process.stdout.write("200")']), 'less'),
    programMs: await bestOf(rounds, untilAnswer, 'less'),
    testMs: await bestOf(rounds, () => untilOutput([test]), 'less'),
  }
}

async function untilAnswer(): Promise<number> {
  const startedMs = performance.now()
  return withOurServer(async (access) => {
    const asker = new Asker(access)
    await asker.ask('GET', '/api/v1/namespaces')
    const elapsedMs = performance.now() - startedMs
    asker.close()
    return elapsedMs
  })
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
