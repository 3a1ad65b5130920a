// Measurement on a shared machine: the best of several rounds, which other processes disturbed least.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export async function bestOf(rounds: number, measure: () => Promise<number>, better: 'more' | 'less'): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < rounds; round++) found.push(await measure())
  return better === 'more' ? Math.max(...found) : Math.min(...found)
}

/** Returns the processor time of this process: on a shared machine, the time that a dedicated core would need. */
export async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

export async function elapsedMs(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await run()
  return performance.now() - startedMs
}

/** Returns the bytes on the heap after a full collection. */
export function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // The flag defines it.
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
