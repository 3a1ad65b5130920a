// Is this checkout good? Runs every check in order, prints what each took, and ends with the plain line that counts tests.
// `check` is the quick gate; `test` adds the oracles, real PostgreSQL and the real control plane. A check that fails does not hide the ones after it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

interface Step {
  readonly title: string
  readonly args: readonly string[]
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const bin = (name: string): string => `node_modules/${name}`
const folder = mkdtempSync(join(tmpdir(), 'konverge-gate-'))
const quickProjects = ['unit']
const allProjects = ['unit', 'oracle', 'postgres', 'real']

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
    ],
  },
  { title: 'unused code', args: [bin('knip/bin/knip.js')] },
]

process.exitCode = main(process.argv[2] ?? 'check')

function main(gate: string): number {
  if (gate !== 'check' && gate !== 'test') {
    process.stderr.write(`gate: '${gate}' is no gate; name check or test\n`)
    return 2
  }
  const failedChecks = checks.filter((step) => !passes(step)).map(({ title }) => title)
  const counts = (gate === 'check' ? quickProjects : allProjects).map(runTests)
  rmSync(folder, { recursive: true, force: true })
  if (failedChecks.length > 0) process.stdout.write(`failed: ${failedChecks.join(', ')}\n`)
  const total = [
    ...counts,
    { passed: checks.length - failedChecks.length, failed: failedChecks.length, skipped: 0 },
  ].reduce(add)
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
  return total.failed === 0 ? 0 : 1
}

function passes({ title, args }: Step): boolean {
  const startedMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? 'ok' : 'FAILED'}  ${title}  ${seconds} s\n`)
  return status === 0
}

/** Runs one vitest project; a run that gives no report, or fails outside its tests, counts as one failure. */
function runTests(project: string): Counts {
  const report = join(folder, `${project}.json`)
  const ok = passes({
    title: `${project} tests`,
    args: [
      bin('vitest/vitest.mjs'),
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
  })
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    readFileSync(report, 'utf8'),
  ) as Record<string, number>
  const failed = numFailedTests ?? 0
  return {
    passed: numPassedTests ?? 0,
    failed: ok ? failed : Math.max(1, failed),
    skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0),
  }
}

function add(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  }
}
