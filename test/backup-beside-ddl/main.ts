// `npm run backups-beside-ddl -- --runs N --seed S`: N backups beside random changes of definitions and rows. The last
// line counts them.
// The exit code is 1 if a verification failed without reason, or succeeded without reason. With --every, each change of
// definitions first runs before each point of a backup.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { BesideOrder } from './order.ts'
import type { BesideRun } from './run.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    every: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'konverge-beside-ddl-'))
const runsFile = join(folder, 'runs.jsonl')
const order: BesideOrder = {
  runs: count(values.runs, 'runs'),
  seed: count(values.seed, 'seed'),
  isEvery: values.every,
  runsFile,
}
process.stdout.write(`${JSON.stringify(order)}\n`)
const file = values.every ? 'test/backup-beside-ddl/' : 'test/backup-beside-ddl/backup-beside-ddl.postgres.test.ts'
const child = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'postgres', file, '--testTimeout=3600000'],
  {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, KONVERGE_BESIDE_ORDER: JSON.stringify(order) },
  },
)
const [status] = await once(child, 'close')
const lines = existsSync(runsFile) ? readFileSync(runsFile, 'utf8').trim().split('\n') : []
// Sound: the test writes these lines.
const runs = lines.map((line) => JSON.parse(line) as BesideRun)
for (const run of runs) if (run.kind !== 'verified') process.stdout.write(`${JSON.stringify(run)}\n`)
const of = (kind: BesideRun['kind']) => runs.filter((run) => run.kind === kind).length
process.stdout.write(
  `${runs.length} backups: ${of('verified')} verified, ${of('falseAlarm')} false alarms, ${of('falseProof')} false proofs, ${of('notMade')} not made\n`,
)
process.exitCode = runs.length === order.runs && of('verified') === runs.length ? Number(status ?? 1) : 1

function count(text: string, option: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option} is a whole number from 1, not '${text}'`)
  return Number(text)
}
