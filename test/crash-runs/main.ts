// `npm run crashes`: the requested number of crash runs over all workflows, several in parallel. It continues after a
// failure.
// The last line counts the runs, also after an early end by Ctrl-C or SIGTERM.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setInterval as every } from 'node:timers/promises'
import { type CrashCommand, readCommand, usage } from './command.ts'
import type { CrashOrder } from './order.ts'
import { countsOf, lastTold, reportOf } from './report.ts'
import { newRunFiles, openRunFolder, runsIn } from './run-folder.ts'

const progressMs = 60_000
const lanesAtWork = new Set<ChildProcess>()

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const lane of lanesAtWork) lane.kill(signal)
  })
}

const command = readCommand(process.argv.slice(2))
if (typeof command === 'string') {
  process.stderr.write(`crashes: ${command}\n${usage}`)
  process.exitCode = 2
} else process.exitCode = await main(command)

async function main(command: CrashCommand): Promise<number> {
  const { draw, only, lanes, minutes } = command
  const folder = command.folder ?? mkdtempSync(join(tmpdir(), 'konverge-crashes-'))
  const refusal = openRunFolder(folder, command)
  if (refusal !== undefined) {
    process.stderr.write(`crashes: ${refusal}\n`)
    return 2
  }
  const startedMs = performance.now()
  const untilMs = minutes === undefined ? undefined : Date.now() + minutes * 60_000
  const before = runsIn(folder).length
  const goesOn = before === 0 ? '' : `, going on after ${before} runs`
  process.stdout.write(`${JSON.stringify(draw)}, in ${folder}${goesOn}\n`)
  const files = newRunFiles(folder, lanes)
  const ended = Promise.all(
    files.map((runsFile, lane) =>
      runLane({ draw, only, lane, lanes, untilMs, folder, runsFile }, runsFile.replace(/jsonl$/, 'log')),
    ),
  )
  const over = new AbortController()
  ended.finally(() => over.abort()).catch(() => undefined)
  await showProgress(folder, over.signal)
  const statuses = await ended
  const runs = runsIn(folder)
  const report = reportOf(runs, { before, tookMs: performance.now() - startedMs })
  writeFileSync(join(folder, 'report.txt'), `${report}\n`)
  const failures = runs.filter(({ error }) => error !== undefined)
  writeFileSync(join(folder, 'failures.json'), JSON.stringify(failures, null, 1))
  const areWhole = statuses.every((status) => status === 0 || failures.length > 0)
  if (!areWhole) process.stdout.write(`A process ended badly; what it said is in ${folder}.\n`)
  process.stdout.write(`${report}\n`)
  return areWhole && runs.length > 0 && lastTold(runs).every(({ error }) => error === undefined) ? 0 : 1
}

async function runLane(order: CrashOrder, logFile: string): Promise<number | null> {
  const log = openSync(logFile, 'w')
  // Batches may be fewer than lanes.
  const args = ['run', '--project', 'postgres', 'test/crash-runs/', '--reporter=default', '--passWithNoTests']
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    stdio: ['ignore', log, log],
    env: { ...process.env, KONVERGE_CRASH_ORDER: JSON.stringify(order) },
  })
  lanesAtWork.add(child)
  const [status] = await once(child, 'close').catch(() => [null]) // The process could not be started.
  lanesAtWork.delete(child)
  closeSync(log)
  return status
}

async function showProgress(folder: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of every(progressMs, undefined, { signal }))
      process.stdout.write(`${countsOf(runsIn(folder))}\n`)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
