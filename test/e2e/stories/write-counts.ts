// Number of writes for many stores, from the record of every request. Asserts no duration: bench/ measures that. Runs
// on every server.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isWrite, Stores } from '../stores.ts'
import type { StartStoryServer, StoryOperator, StoryRequest, StoryServer } from '../story-server.ts'

export interface WriteCountOptions {
  readonly start: StartStoryServer
  readonly stores: number
  /**
   * Namespaces to spread the stores over: a real cluster's controllers slow down with a thousand StatefulSets in one.
   */
  readonly namespaces: number
}

export function describeWriteCounts({ start, stores: count, namespaces: spread }: WriteCountOptions): void {
  const names = Array.from({ length: count }, (_, index) => `store-${index}`)
  let server: StoryServer
  let operator: StoryOperator

  beforeAll(async () => {
    server = await start()
    operator = await server.startOperator()
  }, 120_000)
  afterAll(async () => {
    await operator.stop()
    await server.stop()
  })

  it(`${count} stores of three replicas take five child writes, one parent write and at most five status writes each`, async () => {
    const namespaces = Array.from({ length: spread }, (_, index) => new Stores(server, `many-${index}`))
    for (const [index, stores] of namespaces.entries()) {
      await stores.createNamespace()
      const own = names.filter((_, place) => place % spread === index)
      await stores.apply(...own.map((name) => ({ name, spec: { image: 'valkey/valkey:8.0', replicas: 3 } })))
    }
    for (const stores of namespaces) await stores.allReady(900_000)
    const counts = countsByStore((await server.requests()).filter(isWrite))
    expect(counts.size).toBe(names.length)
    const others = [...counts].filter(([, { children, parent }]) => children !== 5 || parent !== 1)
    expect(others).toEqual([])
    const talkative = [...counts].filter(([, { statusAtMs }]) => statusAtMs.length > allowedStatusWrites(statusAtMs))
    expect(talkative).toEqual([])
  }, 1_200_000)
}

interface Counts {
  children: number
  parent: number
  /** Times of the status writes, oldest first. */
  readonly statusAtMs: number[]
}

/** Returns five, plus one for each further half minute: a slow machine lets a store report its progress more often. */
function allowedStatusWrites(atMs: readonly number[]): number {
  const tookMs = (atMs.at(-1) ?? 0) - (atMs[0] ?? 0)
  return 5 + Math.max(0, Math.floor((tookMs - 90_000) / 30_000))
}

function countsByStore(writes: readonly StoryRequest[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const { name: written, resource, subresource, atMs } of writes) {
    const name = written.replace(/-headless$/, '')
    const count = counts.get(name) ?? { children: 0, parent: 0, statusAtMs: [] }
    if (resource !== 'replicatedkvstores') count.children++
    else if (subresource === 'status') count.statusAtMs.push(atMs)
    else count.parent++
    counts.set(name, count)
  }
  return counts
}
