// `npm run strangers`: generated controllers in generated worlds, `--runs` of them. The last line of output counts
// them. With `--jobs` several processes share the seeds; their lines appear in order of arrival.
import { fork } from 'node:child_process'
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
    jobs: { type: 'string', default: '1' },
  },
})
const [runs, firstSeed, shown] = [Number(values.runs), Number(values.seed), Number(values.shown)]
const jobs = Number(values.jobs)
const startedMs = performance.now()
const failed: number[] = []
let done = 0
if (jobs > 1) await runInProcesses()
else await runHere()
process.stdout.write(`${countLine()}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

async function runHere(): Promise<void> {
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
    process.send?.({ seed, hasFailed: faults.length > 0 })
  }
}

/** Runs the seeds in processes; each gets an equal number of consecutive seeds. */
async function runInProcesses(): Promise<void> {
  const share = Math.ceil(runs / jobs)
  const ends = Array.from({ length: jobs }, (_, job) => {
    const first = job * share
    const own = { runs: Math.max(0, Math.min(share, runs - first)), seed: firstSeed + first, shown }
    const args = Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)])
    const child = fork(import.meta.filename, values.keep === undefined ? args : [...args, '--keep', values.keep])
    child.on('message', ({ seed, hasFailed }: { readonly seed: number; readonly hasFailed: boolean }) => {
      done += 1
      if (hasFailed) failed.push(seed)
    })
    return new Promise<void>((resolve, reject) =>
      child.once('close', (code) =>
        code === 0 || code === 1 ? resolve() : reject(new Error(`a process ended: ${code}`)),
      ),
    )
  })
  await Promise.all(ends)
}

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
