// `npm run crashes`: crash runs over all workflows, so many as are asked for, several at a time. Goes on after a failure, and ends with the
// plain line that counts them, also when it is ended early by Ctrl-C or SIGTERM.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setInterval as every } from 'node:timers/promises'
import { type CrashCommand, readCommand, usage } from './command.ts'
import type { CrashRun } from './crash-runner.ts'
import type { CrashOrder } from './order.ts'
import { reportOf } from './report.ts'

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
  mkdirSync(folder, { recursive: true })
  const startedMs = performance.now()
  const untilMs = minutes === undefined ? undefined : Date.now() + minutes * 60_000
  process.stdout.write(`${JSON.stringify(draw)}, in ${folder}\n`)
  const files = Array.from({ length: lanes }, (_, lane) => join(folder, `runs-${lane + 1}.jsonl`))
  for (const file of files) writeFileSync(file, '')
  const tookMs = () => performance.now() - startedMs
  const ended = Promise.all(
    files.map((runsFile, lane) =>
      runLane({ draw, only, lane, lanes, untilMs, runsFile }, join(folder, `lane-${lane + 1}.log`)),
    ),
  )
  const over = new AbortController()
  ended.finally(() => over.abort()).catch(() => undefined)
  await showProgress(() => runsIn(files), over.signal)
  const statuses = await ended
  const runs = runsIn(files)
  const report = reportOf(runs, tookMs())
  writeFileSync(join(folder, 'report.txt'), `${report}\n`)
  writeFileSync(
    join(folder, 'failures.json'),
    JSON.stringify(
      runs.filter(({ error }) => error !== undefined),
      null,
      1,
    ),
  )
  const areWhole = statuses.every((status) => status === 0 || runs.some(({ error }) => error !== undefined))
  if (!areWhole) process.stdout.write(`A process ended badly; what it said is in ${folder}.\n`)
  process.stdout.write(`${report}\n`)
  return areWhole && runs.length > 0 && runs.every(({ error }) => error === undefined) ? 0 : 1
}

async function runLane(order: CrashOrder, logFile: string): Promise<number | null> {
  const log = openSync(logFile, 'w')
  const args = ['run', '--project', 'postgres', 'test/crash-runs/', '--reporter=default']
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    stdio: ['ignore', log, log],
    env: { ...process.env, KONVERGE_CRASH_ORDER: JSON.stringify(order) },
  })
  lanesAtWork.add(child)
  const [status] = await once(child, 'close').catch(() => [null]) // It could not be started.
  lanesAtWork.delete(child)
  closeSync(log)
  return status
}

async function showProgress(runs: () => readonly CrashRun[], signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of every(progressMs, undefined, { signal })) {
      const told = runs()
      const failed = told.filter(({ error }) => error !== undefined).length
      process.stdout.write(`${told.length} runs, ${failed} failed\n`)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The last line may be half written. */
function runsIn(files: readonly string[]): readonly CrashRun[] {
  return files
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as CrashRun) // Written by the crash runs.
}
