// Report of the crash runs: a table by workflow, the failures with the command that repeats each, and finally the
// total.
// A run that was repeated after a failure counts by its last result, and the report mentions the failure. Pure.
import type { CrashRun } from './crash-runner.ts'

export function repeatBy({ key }: Pick<CrashRun, 'key'>): string {
  return `repeat it by: npm run crashes -- --run ${key}`
}

/** Circumstances of the report: `before` is the number of runs of an earlier command. */
export interface Telling {
  readonly before: number
  readonly tookMs: number
}

/** Number of listed failures. A file has all of them. */
const mostTold = 20

export function reportOf(all: readonly CrashRun[], { before, tookMs }: Telling): string {
  const runs = lastTold(all)
  const names = [...new Set(runs.map(({ workflow }) => workflow))].toSorted()
  const width = Math.max(8, ...names.map((name) => name.length))
  const rows = names.map((name) => {
    const own = runs.filter(({ workflow }) => workflow === name)
    const struck = own.filter((run) => run.struck > 0).length
    const seconds = own.reduce((sum, { ms }) => sum + ms, 0) / 1_000 / own.length
    return `${name.padEnd(width)} ${column(own.length)} ${column(struck)} ${column(failuresOf(own).length)} ${seconds.toFixed(2).padStart(11)}`
  })
  const head = `${'workflow'.padEnd(width)} ${column('runs')} ${column('struck')} ${column('failed')} ${'seconds/run'}`
  const failures = failuresOf(runs)
  const told = failures
    .slice(0, mostTold)
    .map((run) => `\n${run.key}\n  ${run.title}\n  ${firstLines(run.error)}\n  ${repeatBy(run)}`)
  const mended = failuresOf(all).length - failures.length
  const perSecond = tookMs === 0 ? 0 : (all.length - before) / (tookMs / 1_000)
  return [
    ...[head, ...rows, ...told, ''],
    ...(mended === 0 ? [] : [`${mended} failed before, and were told again`]),
    `${(tookMs / 1_000).toFixed(0)} s, ${perSecond.toFixed(2)} runs a second`,
    countsOf(all),
  ].join('\n')
}

export function countsOf(all: readonly CrashRun[]): string {
  const runs = lastTold(all)
  const failed = failuresOf(runs).length
  return `${runs.length - failed} passed, ${failed} failed`
}

/** Returns each run of a draw once, with its last result. */
export function lastTold(all: readonly CrashRun[]): readonly CrashRun[] {
  const newest = new Map(all.map((run, at) => [run.nth === undefined ? `at ${at}` : run.nth, run]))
  return [...newest.values()]
}

function failuresOf(runs: readonly CrashRun[]): readonly CrashRun[] {
  return runs.filter(({ error }) => error !== undefined)
}

function column(value: number | string): string {
  return String(value).padStart(7)
}

function firstLines(error = ''): string {
  return error.split('\n').slice(0, 12).join('\n  ')
}
