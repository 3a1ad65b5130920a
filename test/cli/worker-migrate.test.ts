// Worker that cannot start: one sentence, and an exit code that says whether a retry helps.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { workerMigrate } from '../../src/cli/worker-migrate.ts'
import { orderDigest, orderText } from '../../src/controllers/migration/worker-order.ts'

async function work(files: Readonly<Record<string, string>>, digest: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-worker-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const options = {
    order: join(folder, 'order.json'),
    digest,
    credentials: folder,
    terminationLog: join(folder, 'end'),
  }
  const output = { write: () => true }
  return workerMigrate({ ...options, output }, new AbortController().signal).catch((error: unknown) => error)
}

const database = {
  database: 'shop',
  owner: 'shop_owner',
  maintenanceDatabase: 'postgres',
  hasAuthority: false,
  tls: 'disable',
} as const
const text = orderText({
  ...{ format: 1, migration: 'shop/v1', lock: 'database', runAs: 'shop_owner', sources: [] },
  target: { ...database, name: 'shop/shop', folder: 'target' },
  order: {
    ...{ steps: [], onFailure: 'Stop', adoptsBaseline: false, retryToken: '', maxAttempts: 5 },
    approval: { kind: 'Auto' },
  },
  ...{ isRehearsed: false, requiresVerify: false },
})

it('rejects an order with another digest than the Job’s', async () => {
  const error = await work({ 'order.json': text }, orderDigest(`${text} `))
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('is not the one with digest') })
})

it('requests a retry when a file is missing', async () => {
  expect(await work({}, orderDigest(text))).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('order.json'),
  })
  const error = await work({ 'order.json': text }, orderDigest(text))
  expect(error).toMatchObject({ exitCode: 1, message: expect.stringMatching(/cannot read .*target.host/) })
})
