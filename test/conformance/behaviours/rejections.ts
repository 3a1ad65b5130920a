// Complete responses to wrong requests. recorded/mistakes.json has those of the real server; a run on it with
// KONVERGE_RECORD=1 writes
// that file. Review the difference.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Json } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { canonical } from '../scripts/canonical.ts'
import type { Answer, Ask } from '../server-under-test.ts'
import type { Stage } from '../stage.ts'
import { coreBodies } from './mistakes/core-bodies.ts'
import { customBodies } from './mistakes/custom-bodies.ts'
import { workloadBodies } from './mistakes/workload-bodies.ts'
import { wrongRequests } from './mistakes/wrong-requests.ts'

const file = new URL('../recorded/mistakes.json', import.meta.url)
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Json> // Written below.
const isRecording = process.env['KONVERGE_RECORD'] === '1'

const asks: readonly (readonly [string, (stage: Stage) => Ask])[] = [
  ...[...coreBodies, ...workloadBodies, ...customBodies].map(
    ([what, kind, body]) => [what, (stage: Stage): Ask => ({ method: 'POST', path: stage.path(kind), body })] as const,
  ),
  ...wrongRequests.map(([what, ask]) => [what, (stage: Stage) => ask((kind, name) => stage.path(kind, name))] as const),
]

/** Returns a response without the parts that vary between runs; shortens long runs of one letter. */
function told(answer: Answer, { namespace }: Stage): Json {
  const text = JSON.stringify(canonical([{ answer }], { namespace, script: '' })[0])
  return JSON.parse(
    text
      .replaceAll(/x{60,}|k{60,}/g, (run) => `<${run.length} letters>`)
      .replaceAll(/(Upper-)[a-z0-9]{5}/g, '$1<generated>'),
  ) as Json // JSON before.
}

export const refusals = area('refusals', (it) => {
  for (const [what, ask] of asks)
    it(`refuses ${what}`, async (stage) => {
      const answer = await stage.server.request(ask(stage))
      const found = told(answer, stage)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      if (isRecording && stage.server.name === 'real') {
        recorded[what] = found
        const lines = Object.entries(recorded).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
        writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
      }
      expect(found).toEqual(recorded[what])
    })
})
