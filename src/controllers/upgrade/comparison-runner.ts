// Compares source and target of an upgrade during the write freeze. Each database is read in one snapshot, and both at
// the same time, because clients wait.
import { contentsDifference, positionsDifference } from '../engines/contents-difference.ts'
import type { FrozenDatabase, LogicalEngine } from '../engines/logical-engine.ts'
import { readGlobals } from '../engines/postgres/globals/globals-client.ts'
import { readSequencePositions } from '../engines/postgres/replication/sequence-positions-client.ts'
import { type SideOrder, sideRole } from './new-side.ts'
import type { SideTools } from './new-side-worker.ts'
import { type ComparisonBudget, globalsDifference, latecomers, tableReadings, usualBudget } from './sides-difference.ts'

export type ComparisonTools = Pick<SideTools, 'engine' | 'old' | 'new'> & {
  readonly logical: Pick<LogicalEngine, 'freeze'>
}

/** Returns a sentence per difference; empty if both are equal within the limits of `budget`. */
export async function compareSides(
  order: SideOrder,
  tools: ComparisonTools,
  signal: AbortSignal,
  budget: ComparisonBudget = usualBudget,
): Promise<readonly string[]> {
  const { database, caller } = order
  const { engine, logical } = tools
  const accesses = [tools.old, tools.new] as const
  const servers = accesses.map((access) => engine.server(access, { caller, signal }))
  const reading = servers.map((server) => readGlobals(server, { database, spared: sideRole(order) }))
  for (const one of reading) one.catch(() => undefined) // Promise.all below reports it.
  const freezing = accesses.map((access) => logical.freeze({ access, database, caller, signal }))
  const frozen = await allOf(freezing)
  try {
    const [old, now] = pair(frozen)
    const options = { tables: tableReadings(await old.sizes(), budget), limitMs: budget.limitMs }
    const [left, right] = await Promise.all([old.contents(options), now.contents(options)])
    const [before, after] = pair(await Promise.all(reading))
    const [from, to] = pair(await Promise.all(servers.map((server) => readSequencePositions(server, database))))
    return [
      // Sequences are compared separately and exactly, because no client uses them.
      ...contentsDifference({ ...left, sequences: [] }, { ...right, sequences: [] }, { rows: 'hashed' }),
      ...positionsDifference(from, to),
      ...globalsDifference(before, after),
      ...latecomers(order, before),
    ]
  } finally {
    await Promise.allSettled([...reading, ...frozen.map((one) => one.release())])
  }
}

/** Returns all frozen databases. If one fails, releases the others and rejects. */
async function allOf(freezing: readonly Promise<FrozenDatabase>[]): Promise<readonly FrozenDatabase[]> {
  const settled = await Promise.allSettled(freezing)
  const frozen = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  for (const one of settled) {
    if (one.status === 'fulfilled') continue
    await Promise.all(frozen.map((each) => each.release()))
    throw one.reason
  }
  return frozen
}

function pair<T>([left, right]: readonly T[]): readonly [T, T] {
  if (left === undefined || right === undefined) throw new Error('There are two sides.')
  return [left, right]
}
