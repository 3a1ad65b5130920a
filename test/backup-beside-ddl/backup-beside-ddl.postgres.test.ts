// Backups beside random changes of definitions and rows. Invariant: none fails its verification, and each verified one
// holds a committed state.
import { appendFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { backupStage } from '../controllers/backup/backup-stage.ts'
import { onPostgresOf } from '../postgres/on-each-postgres.ts'
import { Disturber, disturbedDatabase } from './disturber.ts'
import { besideOrder } from './order.ts'
import { type BesideRun, runBeside } from './run.ts'

/** The tools of this machine cannot dump newer servers. */
const newestTool = 15
/** The database grows with its changes, and is recreated after this number of runs. */
const runsOfDatabase = 25
const { runs, seed, runsFile } = besideOrder()
const batches = Array.from({ length: Math.ceil(runs / runsOfDatabase) }, (_, at) => ({
  first: at * runsOfDatabase,
  count: Math.min(runsOfDatabase, runs - at * runsOfDatabase),
}))

onPostgresOf(
  (major) => major <= newestTool,
  'backups beside changing definitions',
  (server) => {
    it.each(batches)('are verified and hold a committed state: $count from run $first', async ({ first, count }) => {
      await server().byHand('DROP DATABASE IF EXISTS crm WITH (FORCE)')
      await server().byHand('CREATE DATABASE crm TEMPLATE template0')
      await server().byHand(disturbedDatabase, { database: 'crm' })
      const stage = await backupStage(server().access())
      const disturber = await Disturber.begin(server(), 'crm', seed + first)
      onTestFinished(() => disturber.end())
      const told: BesideRun[] = []
      for (let run = first; run < first + count; run += 1) {
        const one = await runBeside(run, stage, disturber)
        told.push(one)
        if (runsFile !== undefined) appendFileSync(runsFile, `${JSON.stringify({ ...one, seed: seed + first })}\n`)
      }
      expect(told.filter(({ kind }) => kind !== 'verified')).toEqual([])
      // Otherwise no change ran beside the backups.
      expect(disturber.done).toBeGreaterThan(count)
    })
  },
)
