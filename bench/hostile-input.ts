// Longest block of the event loop, and memory, for the worst value of every text that the operator reads from others
// (test/bounds/inputs.ts). Run: node bench/hostile-input.ts. Exit code 1: a row is above 50 ms or 64 MiB.
//
// A row is the processor time of the operator's thread: the mean of several rounds, for sliced work that of its longest
// slice. No block of the loop is longer, even on a shared machine. Memory is the allocation of one round, including
// garbage; between slices a collection runs once half of the limit is used. Steps are reviewed in a separate process:
// that row covers only the operator's thread.
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../src/base/clock.ts'
import { ReviewRunner } from '../src/controllers/engines/postgres/review/review-runner.ts'
import type { SlicedWork } from '../src/controllers/engines/slice-runner.ts'
import { inputs, isSliced } from '../test/bounds/inputs.ts'
import { sqlStep } from '../test/controllers/migration/steps.ts'

const rounds = 10
const limits = { ms: 50, mib: 64 }

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void // Defined by the flag.

interface Cost {
  readonly ms: number
  readonly mib: number
}

async function costOf(run: () => unknown): Promise<Cost> {
  const costs: Cost[] = []
  for (let round = 0; round < rounds; round += 1) {
    collect()
    const before = memoryMib()
    const from = process.threadCpuUsage()
    const outcome = await run()
    const firstMs = msSince(from)
    const cost = isSliced(outcome) ? costOfSlices(outcome, before) : { ms: firstMs, mib: memoryMib() }
    costs.push({ ...cost, mib: cost.mib - before })
  }
  // The kernel counts in ticks, so a single round is inaccurate.
  const ms = costs.reduce((sum, cost) => sum + cost.ms, 0) / rounds
  return { ms, mib: Math.max(0, ...costs.map(({ mib }) => mib)) }
}

function msSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1_000
}

/**
 * Like SliceRunner: a slice ends at the first `yield` after 5 ms. Between slices the collector runs once half of the
 * limit is used.
 */
function costOfSlices(work: SlicedWork<unknown>, before: number): Cost {
  for (let [ms, mib] = [0, 0]; ; ) {
    const from = process.threadCpuUsage()
    const endMs = performance.now() + 5
    let step = work.next()
    while (step.done !== true && performance.now() < endMs) step = work.next()
    ms = Math.max(ms, msSince(from))
    mib = Math.max(mib, memoryMib())
    if (step.done === true) return { ms, mib }
    if (memoryMib() - before > limits.mib / 2) collect()
  }
}

function memoryMib(): number {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_048_576
}

const text = (head: string, piece: string) => head + piece.repeat(Math.floor(990_000 / piece.length))
const program = {
  command: process.execPath,
  args: [new URL('../src/cli/main.ts', import.meta.url).pathname, 'worker', 'review'],
}
const reviews = [
  ['values', text('SELECT 1', ',1')],
  ['ends of transactions', text('', 'END;')],
  ['operators', text('SELECT 1', '+1')],
  ['rows', text('INSERT INTO t VALUES (0)', ",(1,'abc',2.5,NULL,true)")],
].map(([what = '', sql = '']) => ({
  input: `review of 990 KB of ${what}`,
  worst: () => {
    const { review } = new ReviewRunner({ program, clock: systemClock })
    return () => review([sqlStep(sql)], { requiresVerify: false }, new AbortController().signal)
  },
}))

let isOver = false
for (const { input, worst } of [...inputs, ...reviews]) {
  const { ms, mib } = await costOf(worst())
  const fault = ms > limits.ms || mib > limits.mib
  isOver ||= fault
  const line = `${input.slice(0, 60).padEnd(60)} ${ms.toFixed(1).padStart(8)} ms ${mib.toFixed(1).padStart(7)} MiB`
  process.stdout.write(`${line}${fault ? '  TOO MUCH' : ''}\n`)
}
process.exitCode = isOver ? 1 : 0
