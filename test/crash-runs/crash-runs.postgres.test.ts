// Crash runs of all workflows. Invariant (I3): a run with faults ends like one without. `npm run crashes` sets their
// number; `npm test` runs a fixed sample.
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { describe, expect, inject, it } from 'vitest'
import { type CrashRun, runBatch } from './crash-runner.ts'
import { batchesLeft, batchesOf, drawBatches, placeOf } from './draw.ts'
import { type CrashOrder, inGate } from './order.ts'
import { repeatBy } from './report.ts'
import { passedIn, runsIn } from './run-folder.ts'
import { choicesOn, workflowOf } from './workflows.ts'

const home = inject('postgresHome')
// Sound: `npm run crashes` writes it.
const order = JSON.parse(process.env['KONVERGE_CRASH_ORDER'] ?? JSON.stringify(inGate)) as CrashOrder
const choices = choicesOn(
  home.versions.map(({ major }) => major),
  order,
)
const told = passedIn(order.folder === undefined ? [] : runsIn(order.folder))
const batches = batchesOf(batchesLeft(drawBatches(order.draw, choices), told), order)

describe(`crash runs (${JSON.stringify(order.draw)})`, () => {
  it.each(batches.map((batch, at) => ({ ...batch, number: at + 1, place: placeOf(batch.workflow, batch.version) })))(
    '$number: $place ends like a run without a fault',
    { timeout: 24 * 3_600_000 },
    async (batch) => {
      const runs: CrashRun[] = []
      await runBatch(batch, {
        home,
        workflow: workflowOf(batch.workflow),
        hasTime: () => order.untilMs === undefined || Date.now() < order.untilMs,
        onRun: (run) => {
          runs.push(run)
          if (order.runsFile !== undefined) appendFileSync(order.runsFile, `${JSON.stringify(run)}\n`)
        },
      })
      const failures = runs.filter(({ error }) => error !== undefined)
      expect(failures.map((run) => `${run.title}\n${run.error}\n${repeatBy(run)}`)).toEqual([])
    },
  )
})
