// Gate of a checkout: runs every check in order, prints the duration of each, and ends with a line that counts tests.
// `check` is the quick gate; `test` adds the oracles, real PostgreSQL and the real control plane. It continues after a
// failure.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'

interface Step {
  readonly title: string
  readonly args: readonly string[]
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

interface Tested extends Counts {
  /** Output of vitest about failures, or empty. */
  readonly failures: string
}

const bin = (name: string): string => `node_modules/${name}`
const folder = mkdtempSync(join(tmpdir(), 'konverge-gate-'))
const parts = (project: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${project} ${at + 1}/${count}`)
/**
 * Projects of each gate, group after group. Projects of a group run concurrently, a few at a time, because they mostly
 * wait. Each part of `real` has its own control plane, so at most two run at once. The parts of `postgres` are small,
 * so that all end together.
 */
const gates: Readonly<Record<string, readonly (readonly string[])[]>> = {
  check: [['unit']],
  test: [['unit'], ['oracle'], [...parts('real', 4), ...parts('postgres', 8)]],
}
const mostAtOnce = 3
const mostOf: Readonly<Record<string, number>> = { real: 2 }
/** Largest number of lines of one run's failures in the final summary. */
const mostLines = 150

const checks: readonly Step[] = [
  { title: 'format and lint', args: [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'] },
  { title: 'types', args: [bin('typescript/bin/tsc'), '-p', 'test/tsconfig.json'] },
  {
    title: 'imports',
    args: [
      bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.mjs',
      'src',
      'constructs',
      'imports',
      'examples',
    ],
  },
  { title: 'unused code', args: [bin('knip/bin/knip.js')] },
  { title: 'language', args: ['test/language/main.ts'] },
]

/** Admits projects up to the limits. The first waiting project with room starts as soon as another ends. */
class Lanes {
  readonly #running: string[] = []
  #waiting: (() => void)[] = []

  async take(project: string): Promise<void> {
    while (!this.#hasRoom(project)) await new Promise<void>((wake) => this.#waiting.push(wake))
    this.#running.push(project)
  }

  leave(project: string): void {
    this.#running.splice(this.#running.indexOf(project), 1)
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  #hasRoom(project: string): boolean {
    const ofProject = this.#running.filter((one) => one === project).length
    return this.#running.length < mostAtOnce && ofProject < (mostOf[project] ?? mostAtOnce)
  }
}

process.exitCode = await main(process.argv[2] ?? 'check').finally(() =>
  rmSync(folder, { recursive: true, force: true }),
)

async function main(gate: string): Promise<number> {
  const groups = gates[gate]
  if (groups === undefined) {
    process.stderr.write(`gate: '${gate}' is no gate; name ${Object.keys(gates).join(' or ')}\n`)
    return 2
  }
  const failedChecks: string[] = []
  for (const step of checks) if (!(await passes(step))) failedChecks.push(step.title)
  const tested: Tested[] = []
  for (const group of groups) tested.push(...(await runGroup(group)))
  // Repeats all failures at the end, for readers who see only the end of the output.
  for (const { failures } of tested) process.stdout.write(failures)
  if (failedChecks.length > 0) process.stdout.write(`failed: ${failedChecks.join(', ')}\n`)
  const checked = { passed: checks.length - failedChecks.length, failed: failedChecks.length, skipped: 0 }
  const total = tested.reduce<Counts>(add, checked)
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
  return total.failed === 0 ? 0 : 1
}

/** Runs a group. The first project shows its output at once, each other one after its predecessor has ended. */
async function runGroup(names: readonly string[]): Promise<readonly Tested[]> {
  const lanes = new Lanes()
  let shown: Promise<unknown> = Promise.resolve()
  const runs = names.map((name, index) => {
    const run = runTests(name, lanes, index === 0 ? undefined : shown)
    shown = run
    return run
  })
  return Promise.all(runs)
}

async function passes(step: Step): Promise<boolean> {
  const ended = await run(step, ['inherit', 'inherit'])
  process.stdout.write(lineOf(step, ended))
  return ended.isGood
}

interface Ended {
  readonly isGood: boolean
  readonly seconds: string
}

type Output = 'inherit' | 'pipe' | number

/** Runs a step. Shows piped output at once, and also writes it to `file`. */
async function run({ args }: Step, output: readonly [Output, Output], file?: number): Promise<Ended> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', ...output] })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => {
      process.stdout.write(bytes)
      if (file !== undefined) writeSync(file, bytes)
    })
  const [status] = await once(child, 'close').catch(() => [null]) // The process could not start.
  return { isGood: status === 0, seconds: ((performance.now() - startedMs) / 1000).toFixed(1) }
}

function lineOf({ title }: Step, { isGood, seconds }: Ended): string {
  return `${isGood ? 'ok' : 'FAILED'}  ${title}  ${seconds} s\n`
}

/**
 * Runs one vitest project, or a part of it as in `real 1/4`. A run without a report, or with a failure outside its
 * tests, counts as one failure. Shows its output at once, or after `after`.
 */
async function runTests(name: string, lanes: Lanes, after?: Promise<unknown>): Promise<Tested> {
  const [project = name, shard] = name.split(' ')
  const report = fileFor(name, 'json')
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const part = shard === undefined ? [] : [`--shard=${shard}`]
  const step = { title: `${name} tests`, args: [bin('vitest/vitest.mjs'), ...args, ...part] }
  await lanes.take(project)
  const log = fileFor(name, 'log')
  const output = openSync(log, 'w')
  const ended = await run(step, after === undefined ? ['pipe', 'pipe'] : [output, output], output)
  closeSync(output)
  lanes.leave(project)
  await after
  const written = readFileSync(log, 'utf8')
  if (after !== undefined) process.stdout.write(written)
  process.stdout.write(lineOf(step, ended))
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = readReport(report)
  return {
    passed: numPassedTests,
    failed: ended.isGood ? numFailedTests : Math.max(1, numFailedTests),
    skipped: numPendingTests + numTodoTests,
    failures: ended.isGood ? '' : `${lineOf(step, ended)}${failuresIn(written)}\n`,
  }
}

/** Returns the output from the first heading on, such as `⎯⎯ Failed Tests 1 ⎯⎯`, or else its end. */
function failuresIn(written: string): string {
  const lines = written.split('\n')
  const at = lines.findIndex((line) => /^⎯+ [A-Z]/.test(stripVTControlCharacters(line)))
  return (at === -1 ? lines.slice(-mostLines) : lines.slice(at, at + mostLines)).join('\n')
}

function fileFor(name: string, ending: string): string {
  return join(folder, `${name.replaceAll(/\W/g, '-')}.${ending}`)
}

function readReport(path: string): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { numFailedTests: 1 } // The report is missing or incomplete.
  }
}

function add(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  }
}
