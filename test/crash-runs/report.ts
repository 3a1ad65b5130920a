// What have the crash runs come to? A table by workflow, the failures with the command that tells each again, and last the plain count. Pure.
import type { CrashRun } from './crash-runner.ts'

export function repeatBy({ key }: Pick<CrashRun, 'key'>): string {
  return `repeat it by: npm run crashes -- --run ${key}`
}

/** All of them are in a file. */
const mostTold = 20

export function reportOf(runs: readonly CrashRun[], tookMs: number): string {
  const names = [...new Set(runs.map(({ workflow }) => workflow))].toSorted()
  const width = Math.max(8, ...names.map((name) => name.length))
  const rows = names.map((name) => {
    const own = runs.filter(({ workflow }) => workflow === name)
    const failed = own.filter(({ error }) => error !== undefined).length
    const struck = own.filter((run) => run.struck > 0).length
    const seconds = own.reduce((sum, { ms }) => sum + ms, 0) / 1_000 / own.length
    return `${name.padEnd(width)} ${column(own.length)} ${column(struck)} ${column(failed)} ${seconds.toFixed(2).padStart(11)}`
  })
  const head = `${'workflow'.padEnd(width)} ${column('runs')} ${column('struck')} ${column('failed')} ${'seconds/run'}`
  const failures = runs.filter(({ error }) => error !== undefined)
  const told = failures
    .slice(0, mostTold)
    .map((run) => `\n${run.key}\n  ${run.title}\n  ${firstLines(run.error)}\n  ${repeatBy(run)}`)
  const perSecond = tookMs === 0 ? 0 : runs.length / (tookMs / 1_000)
  return [
    ...[head, ...rows, ...told, ''],
    `${(tookMs / 1_000).toFixed(0)} s, ${perSecond.toFixed(2)} runs a second`,
    `${runs.length - failures.length} passed, ${failures.length} failed`,
  ].join('\n')
}

function column(value: number | string): string {
  return String(value).padStart(7)
}

function firstLines(error = ''): string {
  return error.split('\n').slice(0, 12).join('\n  ')
}
