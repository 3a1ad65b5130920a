// Time of a backup by hand: pg_dump into a file and pg_restore of it. Also one piped into the other, which stores
// nothing and so is no backup.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresServer } from '../../test/postgres/postgres-server.ts'
import { processorSeconds } from '../processor-time.ts'

export interface HandTimes {
  readonly dumpMs: number
  readonly restoreMs: number
  readonly pipeMs: number
  /** Processor time of pg_dump, pg_restore and the server together, without the pipe. */
  readonly processorMs: number
}

export async function byHand(server: PostgresServer, database: string, folder: string): Promise<HandTimes> {
  const bin = `/usr/lib/postgresql/${server.version}/bin`
  const file = join(folder, 'by-hand.dump')
  const dump = `${bin}/pg_dump --format=custom ${database}`
  const restore = `${bin}/pg_restore --no-owner --no-privileges --dbname=by_hand`
  const measured = async (command: string, needsDatabase: boolean): Promise<number> => {
    if (needsDatabase) await server.byHand('CREATE DATABASE by_hand TEMPLATE template0')
    const startedMs = performance.now()
    await inShell(server, command)
    const tookMs = performance.now() - startedMs
    if (needsDatabase) await server.byHand('DROP DATABASE by_hand WITH (FORCE)')
    return tookMs
  }
  const beforeMs = processorMs()
  const dumpMs = await measured(`${dump} > '${file}'`, false)
  const restoreMs = await measured(`${restore} '${file}'`, true)
  const takenMs = processorMs() - beforeMs
  const pipeMs = await measured(`${dump} | ${restore}`, true)
  await rm(file)
  return { dumpMs, restoreMs, pipeMs, processorMs: takenMs }
}

export interface Level {
  /** Undefined: the tool's default. */
  readonly level: number | undefined
  readonly processorMs: number
  readonly bytes: number
}

/** Measures the cost of higher compression levels. */
export async function byLevel(server: PostgresServer, database: string, folder: string): Promise<readonly Level[]> {
  const file = join(folder, 'by-level.dump')
  const found: Level[] = []
  for (const level of [1, undefined]) {
    const options = level === undefined ? '' : `--compress=${level}`
    const beforeMs = processorMs()
    await inShell(
      server,
      `/usr/lib/postgresql/${server.version}/bin/pg_dump --format=custom ${options} ${database} > '${file}'`,
    )
    found.push({ level, processorMs: processorMs() - beforeMs, bytes: (await stat(file)).size })
  }
  await rm(file)
  return found
}

async function inShell({ port, password }: PostgresServer, command: string): Promise<void> {
  const environment = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres', PGPASSWORD: password }
  const child = spawn('/bin/bash', ['-o', 'pipefail', '-c', command], { env: environment, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null] // As documented for this event.
  assert.equal(code, 0, command)
}

/** Returns the processor time of this process and of all that it has started. */
export function processorMs(): number {
  return 1_000 * [...processorSeconds(() => 'all').values()].reduce((sum, taken) => sum + taken, 0)
}
