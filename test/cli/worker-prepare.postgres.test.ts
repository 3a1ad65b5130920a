// Worker of an upgrade: it prepares the target server from only the files that a pod mounts, from the oldest version to
// the newest.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { workerPrepare } from '../../src/cli/worker-prepare.ts'
import type { PrepareOrder } from '../../src/controllers/database/upgrade/prepare-order.ts'
import { orderDigest } from '../../src/controllers/migration/worker-order.ts'
import { observeSide } from '../../src/controllers/upgrade/new-side-worker.ts'
import { pairs } from '../controllers/engines/replication/replication-stage.ts'
import { never } from '../controllers/stores/contents.ts'
import { SideStage, order as side } from '../controllers/upgrade/side-stage.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'

const ordered = (folder: 'old' | 'new') => ({
  ...{ folder, maintenanceDatabase: 'postgres' },
  ...({ tls: 'disable', hasAuthority: false } as const),
})
const order: PrepareOrder = { format: 1, old: ordered('old'), next: ordered('new'), side }

it('prepares the target server, with or without rows, and reports errors', async () => {
  const stage = await SideStage.start(pairs()[0] ?? [0, 0])
  const pod = await podOf({ old: stage.old, new: stage.new })
  expect(await pod(order)).toEqual({ report: { outcome: 'Completed' }, code: 0 })
  expect(await stage.new.byHand('SELECT FROM orders', { database: 'shop' })).toHaveLength(0)
  expect(await pod({ ...order, side: { ...side, holds: 'rows' } })).toEqual({
    report: { outcome: 'Completed' },
    code: 0,
  })
  expect(await stage.new.byHand('SELECT FROM orders', { database: 'shop' })).toHaveLength(10)
  expect(await observeSide(side, stage.here.at(stage.new.access()))).toMatchObject({ kind: 'prepared' })
  const other = await pod({ ...order, side: { ...side, id: 'other' } })
  expect(other).toMatchObject({ report: { outcome: 'Stopped', reason: 'NameTaken' }, code: 2 })
  await stage.new.stop()
  expect(await pod(order)).toMatchObject({ report: { outcome: 'Interrupted', reason: 'ServerUnreachable' }, code: 1 })
  expect(await pod(order, 'f'.repeat(64))).toMatchObject({ code: 2 })
})

/** Files of a worker's pod. */
async function podOf(servers: Readonly<Record<'old' | 'new', PostgresServer>>) {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-worker-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, server] of Object.entries(servers)) {
    await mkdir(join(folder, name))
    const { host, port, username, password } = server.access()
    for (const [key, value] of Object.entries({ host, port: String(port), username, password: `${password}\n` })) {
      await writeFile(join(folder, name, key), value)
    }
  }
  return async (work: PrepareOrder, digest = orderDigest(JSON.stringify(work))) => {
    const [path, terminationLog] = [join(folder, 'order.json'), join(folder, 'end')]
    await writeFile(path, JSON.stringify(work))
    const files = { order: path, digest, credentials: folder, terminationLog, scratch: folder }
    const options = { ...files, environment: {}, output: { write: () => true } }
    const error: unknown = await workerPrepare(options, never).catch((thrown: unknown) => thrown)
    const report: unknown = JSON.parse(await readFile(terminationLog, 'utf8'))
    // Sound: a CommandError.
    return { report, code: error === undefined ? 0 : (error as { exitCode: number }).exitCode }
  }
}
