// Time in which clients cannot write while a database with a million rows moves to a newer server by replication. The
// steps are those of the runtime, between two real servers of the oldest and the newest version. It is the test of that
// move, with more rows.
//
// Run: node bench/upgrade.ts [rows]. The results are in bench/README.md.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Milliseconds. */
const wanted = 5_000
const [rows = '1000000'] = process.argv.slice(2)
const test = 'test/controllers/upgrade/upgrade.postgres.test.ts'
const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'postgres', '--reporter', 'verbose', test]

const move = spawn(process.execPath, [...args, '-t', 'moves, and loses nothing'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, KONVERGE_UPGRADE_ROWS: rows, NO_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let printed = ''
move.stdout.setEncoding('utf8').on('data', (text: string) => {
  printed += text
})
const [code] = await once(move, 'close')
assert.equal(code, 0, printed)
const [, gap] = /the client could not write for (\d+) ms/.exec(printed) ?? []
const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg().map(Math.round).join(' ')}`
process.stdout.write(`${rows} rows: the client could not write for ${gap} ms; ${machine}\n`)
assert(Number(gap) < wanted, `less than ${wanted} ms are wanted`)
