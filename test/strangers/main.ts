// `npm run strangers`: generated controllers in generated worlds, so many as are asked for. Ends with the plain line that counts them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { worldPlan } from './drawn-world.ts'
import { shrunk } from './shrink-runner.ts'
import { runWorld } from './stranger-runner.ts'
import type { WorldPlan } from './world-plan.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    shown: { type: 'string', default: '5' },
    keep: { type: 'string' },
  },
})
const [runs, firstSeed, shown] = [Number(values.runs), Number(values.seed), Number(values.shown)]
const startedMs = performance.now()
const failed: number[] = []
let done = 0
for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
  const plan = worldPlan(seed)
  const faults = await runWorld(plan)
  done += 1
  if (faults.length > 0) {
    failed.push(seed)
    process.stdout.write(`FAILED seed ${seed}: ${faults.join('; ')}\n`)
    if (failed.length <= shown) await showShrunk(plan)
  }
  if (done % 1_000 === 0) process.stdout.write(`${countLine()}\n`)
}
process.stdout.write(`${countLine()}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

function countLine(): string {
  const seconds = (performance.now() - startedMs) / 1_000
  return `${done - failed.length} passed, ${failed.length} failed, seeds from ${firstSeed}, ${(done / seconds).toFixed(1)} runs/s`
}

async function showShrunk(plan: WorldPlan): Promise<void> {
  const { plan: smallest, faults } = await shrunk(plan)
  const { operators, events } = smallest
  const lines = [
    ...faults,
    ...operators.flatMap(({ name, controllers }) =>
      controllers.flatMap(({ kind, isAddonOptional, versions }) =>
        versions.flatMap(({ templates, bug }, version) => [
          `${name}, ${kind} version ${version}, addon optional: ${isAddonOptional}, bug: ${JSON.stringify(bug)}`,
          ...templates.map((template) => `  ${JSON.stringify(template)}`),
        ]),
      ),
    ),
    `addon installed: ${smallest.isAddonInstalled}`,
    ...events.map((event) => JSON.stringify(event)),
  ]
  process.stdout.write(lines.map((line) => `  ${line}\n`).join(''))
  if (values.keep === undefined) return
  mkdirSync(values.keep, { recursive: true })
  writeFileSync(
    join(values.keep, `seed-${plan.seed}.json`),
    `${JSON.stringify({ finds: faults, plan: smallest }, null, 2)}\n`,
  )
}
