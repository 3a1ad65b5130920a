// Steps whose text is too complex for the review. Invariant: their Migration is Stalled, its review is not repeated,
// and other Migrations continue.
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { ReviewRunner } from '../../../src/controllers/engines/postgres/review/review-runner.ts'
import { ConfigMap } from '../../../src/index.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { home, MigrationScene } from './migration-fixture.ts'
import { reviewHere } from './review-here.ts'

const databaseRef = { name: 'orders' }
const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
const program = { command: process.execPath, args: [main, 'worker', 'review'] }

async function text(scene: MigrationScene, name: string, sql: string) {
  const metadata = { name, namespace: home }
  await scene.cluster.create(ConfigMap, { metadata, data: { 'a.sql': sql } })
  return { name, key: 'a.sql', sha256: createHash('sha256').update(sql).digest('hex') }
}

onNewestPostgres('a Migration with a long text', (server) => {
  describe('reviewed by a process of its own', { timeout: 240_000 }, () => {
    it('is stalled if the text is too complex, is not reviewed again, and runs when it is split', async () => {
      const scene = await MigrationScene.start(server(), 'orders')
      scene.reviewer = new ReviewRunner({ program, clock: systemClock }).review
      const configMapKeyRef = await text(scene, 'ones', `SELECT 1${',1'.repeat(494_000)}`)
      await scene.create('v1', { databaseRef, steps: [{ name: 'ones', configMapKeyRef }] })
      const message = await scene.becomes('v1', 'SchemaValidated', 'False StepTooComplex')
      expect(message).toMatch(/^step ones, sql 1:1: .*more than 192 MiB of memory.*split it into several steps/)
      await scene.becomes('v1', 'Stalled', 'True StepTooComplex')
      expect(await scene.jobs()).toEqual([])
      expect(scene.reviews).toBe(1)

      await scene.restart()
      await scene.pass(60_000)
      await scene.becomes('v1', 'Stalled', 'True StepTooComplex')
      expect(scene.reviews).toBe(1)

      await scene.patch('v1', { metadata: { annotations: { 'konverge.dev/reconcile-now': 'again' } } })
      await scene.until('the review to be repeated', async () => scene.reviews === 2)
      await scene.pass(10_000)
      expect(scene.reviews).toBe(2)

      const small = await text(scene, 'small', 'SELECT 1')
      await scene.patch('v1', { spec: { steps: [{ name: 'ones', configMapKeyRef: small }] } })
      await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
      expect((await scene.status('v1')).rejectedReview).toBeUndefined()
    })

    it('starts no worker before the review, which may wait in the queue, and reports it', async () => {
      const scene = await MigrationScene.start(server(), 'orders')
      let isBusy = true
      scene.reviewer = async (...review) => (isBusy ? undefined : reviewHere(...review))
      await scene.create('v1', { databaseRef, steps: [{ name: 'make', sql: 'CREATE TABLE made (a int)' }] })
      await scene.becomes('v1', 'SchemaValidated', 'Unknown Reviewing')
      await scene.becomes('v1', 'Ready', 'False Reviewing')
      await scene.pass(30_000)
      expect(await scene.jobs()).toEqual([])
      expect((await scene.condition('v1', 'SchemaValidated'))?.status).toBe('Unknown')
      const before = scene.reviews

      isBusy = false
      await scene.pass(16_000)
      expect(scene.reviews).toBeGreaterThan(before)
      await scene.becomes('v1', 'SchemaValidated', 'True Parsed')
      await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
    })

    it('runs a text of common statements at the size limit of a job spec', async () => {
      const scene = await MigrationScene.start(server(), 'orders')
      scene.reviewer = new ReviewRunner({ program, clock: systemClock }).review
      const rows = `INSERT INTO seeds VALUES (1,'abc',2.5,NULL,true)${",(1,'abc',2.5,NULL,true)".repeat(39_000)}`
      const configMapKeyRef = await text(scene, 'rows', rows)
      const make = { name: 'make', sql: 'CREATE TABLE seeds (a int, b text, c numeric, d int, e bool)' }
      await scene.create('v1', { databaseRef, steps: [make, { name: 'rows', configMapKeyRef }] })
      await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
    })

    it.each([
      ['one text that many steps name', 1],
      ['many texts', 20],
    ])("is stalled if %s exceed the job spec's limit, before they are processed", async (_, maps) => {
      const scene = await MigrationScene.start(server(), 'orders')
      const refs: Awaited<ReturnType<typeof text>>[] = []
      for (let at = 0; at < maps; at += 1) refs.push(await text(scene, `text-${at}`, `SELECT '${'x'.repeat(900_000)}'`))
      const steps = Array.from({ length: 100 }, (_, at) => ({ name: `s${at}`, configMapKeyRef: refs[at % maps] }))
      await scene.create('v1', { databaseRef, steps: steps as never })
      expect(await scene.becomes('v1', 'Stalled', 'True OrderTooLarge')).toMatch(/the steps have 1800018 bytes or more/)
    })
  })
})
