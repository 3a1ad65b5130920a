import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Cluster } from '../../src/apiserver/cluster.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { LogCompactor } from '../../src/apiserver/log-compactor.ts'
import { ObjectLog } from '../../src/apiserver/object-log.ts'
import type { Json } from '../../src/base/json.ts'
import { seededRandom } from '../../src/base/random.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { expectForgetting } from '../conformance/forgetting.ts'

const minutes = 60_000

describe('a compacted log', () => {
  let clock: SimClock
  let log: ObjectLog
  let compactor: LogCompactor
  const write = (name: string) =>
    log.commit({ shelf: 'toys', namespace: '', name }, 'created', (at) => ({ name, at })).revision

  beforeEach(() => {
    clock = new SimClock()
    log = new ObjectLog()
    compactor = new LogCompactor({ clock, log })
    compactor.start()
  })
  afterEach(() => compactor.stop())

  it('keeps writes of the last five minutes, and none older than ten', async () => {
    const first = write('a')
    await clock.advance(4 * minutes)
    const second = write('b')
    await clock.advance(5 * minutes)
    expect(log.at(first)?.list('toys')).toHaveLength(1)
    const third = write('c')
    await clock.advance(1 * minutes)
    expect(log.compactedRevision).toBe(second)
    expect(log.at(first)).toBeUndefined()
    expect(log.entriesAfter(second)).toHaveLength(1)
    await clock.advance(5 * minutes)
    expect(log.compactedRevision).toBe(third)
    expect(log.entriesAfter(third)).toEqual([])
  })

  it('runs a timer only while there are writes to compact', async () => {
    write('a')
    await clock.advance(10 * minutes)
    expect(clock.nextTimerMs()).toBeUndefined()
    const last = write('b')
    await clock.advance(10 * minutes)
    expect([log.compactedRevision, clock.nextTimerMs()]).toEqual([last, undefined])
  })

  it('runs no timer after it is stopped', () => {
    write('a')
    compactor.stop()
    expect(clock.nextTimerMs()).toBeUndefined()
  })
})

it('reports compacted revisions like the real server', async () => {
  const clock = new SimClock()
  const user = { name: 'admin', groups: ['system:masters'] }
  const cluster = new Cluster({ clock, random: seededRandom(1), tokens: new Map([['t', user]]), controllers: [] })
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
  const send = (path: string, init: RequestInit = {}) =>
    handleFetch(cluster.server, new Request(`http://x${path}`, { ...init, headers }))
  await expectForgetting({
    get: async (path) => {
      const answer = await send(path)
      return { status: answer.status, body: (await answer.json()) as Json } // JSON of the server.
    },
    forget: async () => {
      await send('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'newer' } }) })
      await clock.advance(10 * minutes)
    },
  })
  cluster.stop()
})
