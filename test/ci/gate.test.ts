// Gate: it counts the reports of its projects, shows each project's output in one piece, and runs everything after a
// failure. Scripts of the tests replace its tools.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

const gate = join(import.meta.dirname, '..', '..', '.ci', 'gate.ts')
const checks = [
  'node_modules/@biomejs/biome/bin/biome',
  'node_modules/typescript/bin/tsc',
  'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
  'node_modules/knip/bin/knip.js',
  'test/language/main.ts',
]

/** Replaces vitest: for its project, or a part of one, it does what the file `plays.json` says. */
const player = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
const shard = process.argv.find((arg) => arg.startsWith('--shard='))?.replace('--shard=', ' ') ?? ''
const project = process.argv[process.argv.indexOf('--project') + 1] + shard
const report = process.argv.find((arg) => arg.startsWith('--outputFile.json=')).split('=')[1]
const { counts, exitCode = 0, waitsFor, patienceMs = 240_000 } = JSON.parse(readFileSync('plays.json', 'utf8'))[project]
console.log(project + ' begins')
const begun = (name) => 'began-' + name.replace('/', '-')
writeFileSync(begun(project), '')
const limit = Date.now() + patienceMs
while (waitsFor !== undefined && !existsSync(begun(waitsFor)) && Date.now() < limit) await new Promise((on) => setTimeout(on, 10))
console.log(project + ' ends')
if (counts !== undefined) writeFileSync(report, JSON.stringify(counts))
process.exit(Date.now() < limit ? exitCode : 9)
`

interface Play {
  /** Counts in vitest's report; absent: no report. */
  readonly counts?: Readonly<Record<string, number>>
  readonly exitCode?: number
  /** Project that must start before this one ends. */
  readonly waitsFor?: string
  readonly patienceMs?: number
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-gate-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const check of checks) script(check, '')
  script('node_modules/vitest/vitest.mjs', player)
})

const counted = (numPassedTests: number, more: Readonly<Record<string, number>> = {}) => ({
  counts: { numPassedTests, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, ...more },
})
const parts = [1, 2, 3, 4]
  .map((part) => `real ${part}/4`)
  .concat([1, 2, 3, 4, 5, 6, 7, 8].map((part) => `postgres ${part}/8`))
const fine: Readonly<Record<string, Play>> = {
  unit: counted(100),
  oracle: counted(20),
  ...Object.fromEntries(parts.map((part) => [part, counted(part.startsWith('real') ? 10 : 2)])),
}

describe('the gate', () => {
  it('counts its checks and all tests', () => {
    const plays = { ...fine, 'real 2/4': counted(11, { numPendingTests: 2, numTodoTests: 1 }) }
    expect(run('test', plays)).toMatchObject({ exitCode: 0, lastLine: '182 passed, 0 failed, 3 skipped' })
    expect(run('check', plays)).toMatchObject({ exitCode: 0, lastLine: '105 passed, 0 failed, 0 skipped' })
  })

  it('runs parts of the real control plane and of PostgreSQL side by side, and shows one after the other', () => {
    const { exitCode, lines } = run('test', {
      ...fine,
      'real 1/4': { ...counted(10), waitsFor: 'real 2/4' },
      'real 2/4': { ...counted(10), waitsFor: 'postgres 1/8' },
      'postgres 1/8': { ...counted(2), waitsFor: 'real 1/4' },
    })
    expect(exitCode).toBe(0)
    const shown = parts.flatMap((name) => [`${name} begins`, `${name} ends`, `ok  ${name} tests`])
    expect(lines.filter((line) => /^(ok {2})?(real|postgres) /.test(line)).map(withoutTime)).toEqual(shown)
  })

  it('starts a part as soon as another has ended', () => {
    const last = { ...counted(10), waitsFor: 'postgres 8/8' }
    expect(run('test', { ...fine, 'real 1/4': last, 'real 2/4': last })).toMatchObject({ exitCode: 0 })
  })

  it('starts at most two control planes at once', () => {
    const inVain = { ...counted(10), waitsFor: 'real 3/4', patienceMs: 500 }
    expect(run('test', { ...fine, 'real 1/4': inVain, 'real 2/4': inVain })).toMatchObject({ exitCode: 1 })
  })

  it.each([
    { title: 'a test that fails', play: { ...counted(3, { numFailedTests: 2 }), exitCode: 1 }, failed: 2, passed: 3 },
    { title: 'a fault outside the tests', play: { ...counted(3), exitCode: 1 }, failed: 1, passed: 3 },
    { title: 'a project that dies', play: { exitCode: 137 }, failed: 1, passed: 0 },
  ])('fails for $title beside others, and counts those', ({ play, failed, passed }) => {
    const ofReal = run('test', { ...fine, 'real 1/4': play })
    expect(ofReal).toMatchObject({ exitCode: 1, lastLine: `${171 + passed} passed, ${failed} failed, 0 skipped` })
    const ofPostgres = run('test', { ...fine, 'postgres 3/8': play })
    expect(ofPostgres).toMatchObject({ exitCode: 1, lastLine: `${179 + passed} passed, ${failed} failed, 0 skipped` })
    for (const { lines } of [ofReal, ofPostgres])
      expect(lines).toEqual(expect.arrayContaining(parts.map((part) => `${part} ends`)))
  })

  it('runs the tests also after a failed check, and names the check', () => {
    script('node_modules/knip/bin/knip.js', 'process.exit(1)')
    const { exitCode, lines, lastLine } = run('check', fine)
    expect([exitCode, lastLine]).toEqual([1, '104 passed, 1 failed, 0 skipped'])
    expect(lines).toContain('failed: unused code')
  })

  it('accepts only check and test', () => {
    const { exitCode, stderr } = run('all', fine)
    expect([exitCode, stderr]).toEqual([2, "gate: 'all' is no gate; name check or test\n"])
  })
})

function script(name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function run(name: string, plays: Readonly<Record<string, Play>>) {
  writeFileSync(join(folder, 'plays.json'), JSON.stringify(plays))
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: folder }
  const { status, stdout, stderr } = spawnSync(process.execPath, [gate, name], { cwd: folder, env, encoding: 'utf8' })
  const lines = stdout.trimEnd().split('\n')
  return { exitCode: status, lines, lastLine: lines.at(-1), stderr }
}

function withoutTime(line: string): string {
  return line.replace(/ +[\d.]+ s$/, '')
}
