import { afterEach, describe, expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { TokenBucket } from '../../src/base/token-bucket.ts'
import { type QueueRequest, type WorkItem, WorkQueue, type WorkQueueOptions } from '../../src/queue/work-queue.ts'
import { type Verdict, Worker, type WorkerOptions } from '../../src/queue/worker.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { SimClock, settle } from '../../src/testing/sim-clock.ts'

const self: QueueRequest = { priority: 'user', cause: { kind: 'self' } }
const settled: Verdict = { kind: 'settled' }

type Handle = WorkerOptions<string>['handle']

/** Workers of a test, which end after it. */
const running: AbortController[] = []
afterEach(() => {
  for (const controller of running.splice(0)) controller.abort()
})

function start(
  handle: Handle,
  options: Partial<WorkerOptions<string>> = {},
  queueOptions: Partial<WorkQueueOptions<string>> = {},
) {
  const clock = new SimClock()
  const lines: string[] = []
  const log = createLogger({ clock, destination: { write: (line: string) => void lines.push(line) } })
  const instruments = { ...silentInstruments, log }
  const queue = new WorkQueue<string>({ clock, random: seededRandom(1), instruments, name: 'test', ...queueOptions })
  const worker = new Worker({ clock, instruments, queue, handle, maxConcurrent: 2, ...options })
  const life = new AbortController()
  running.push(life)
  let hasEnded = false
  const ended = worker.run(life.signal).then(() => {
    hasEnded = true
  })
  return { clock, lines, queue, worker, life, ended, hasEnded: () => hasEnded }
}

/** A handler whose reconciles last until the test ends them. */
function heldTurns(honoursAbort: boolean) {
  const begun: string[] = []
  const ends = new Map<string, (verdict: Verdict) => void>()
  const handle: Handle = ({ key }, signal) => {
    begun.push(key)
    return new Promise((resolve, reject) => {
      ends.set(key, resolve)
      if (honoursAbort) signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  return { begun, handle, end: (key: string, verdict = settled) => ends.get(key)?.(verdict) }
}

describe('Worker, reconciles', () => {
  it('reconciles keys as they become ready', async () => {
    const begun: string[] = []
    const { clock, queue } = start(async ({ key }) => {
      begun.push(key)
      return settled
    })
    queue.add('a', self)
    queue.addAfter('b', 5_000, self)
    await settle()
    expect(begun).toEqual(['a'])
    await clock.advance(4_999)
    expect(begun).toEqual(['a'])
    await clock.advance(1)
    expect(begun).toEqual(['a', 'b'])
  })

  it('limits its concurrent reconciles', async () => {
    const { begun, handle, end } = heldTurns(true)
    const { queue } = start(handle)
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key, self)
    await settle()
    expect(begun).toEqual(['a', 'b'])
    end('b')
    await settle()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('never reconciles a key twice at once, and repeats it when it was added meanwhile', async () => {
    const { begun, handle, end } = heldTurns(true)
    const { queue } = start(handle)
    queue.add('a', self)
    await settle()
    queue.add('a', self)
    await settle()
    expect(begun).toEqual(['a'])
    end('a')
    await settle()
    expect(begun).toEqual(['a', 'a'])
  })

  it('begins reconciles at the rate of its bucket, shared with other workers', async () => {
    const begun: string[] = []
    const rateLimit = new TokenBucket({ perSecond: 1, burst: 2 })
    const { clock, queue } = start(
      async ({ key }) => {
        begun.push(key)
        return settled
      },
      { rateLimits: [rateLimit], maxConcurrent: 10 },
    )
    expect(rateLimit.take(clock.monotonicMs())).toBe(0)
    for (const key of ['a', 'b', 'c']) queue.add(key, self)
    await settle()
    expect(begun).toEqual(['a'])
    await clock.advance(2_500)
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('chooses the key when the token is available, so that a late urgent key goes first', async () => {
    const begun: string[] = []
    const { clock, queue } = start(
      async ({ key }) => {
        begun.push(key)
        return settled
      },
      { rateLimits: [new TokenBucket({ perSecond: 1, burst: 1 })] },
    )
    for (const key of ['a', 'b']) queue.add(key, { ...self, priority: 'resync' })
    await settle()
    queue.add('urgent', self)
    await clock.advance(1_100)
    expect(begun).toEqual(['a', 'urgent'])
  })

  it('yields the event loop between reconciles that never wait', async () => {
    let turns = 0
    const { clock, queue } = start(async () => {
      turns++
      return settled
    })
    for (let index = 0; index < 100; index++) queue.add(`${index}`, self)
    await settle()
    expect(turns).toBe(32)
    await clock.advance(0)
    expect(turns).toBe(100)
  })
})

describe('Worker, namespaces', () => {
  const inNamespaces = { groupOf: (key: string) => key.split('/')[0] ?? '' }

  it('gives one namespace at most half of the slots while another has ready keys', async () => {
    const { begun, handle } = heldTurns(true)
    const { queue } = start(handle, { maxConcurrent: 4 }, inNamespaces)
    for (const key of ['slow/1', 'slow/2', 'slow/3', 'slow/4', 'other/1', 'other/2', 'other/3']) queue.add(key, self)
    await settle()
    expect(begun).toEqual(['slow/1', 'other/1', 'slow/2', 'other/2'])
  })

  it('gives a namespace all slots while no other has ready keys', async () => {
    const { begun, handle } = heldTurns(true)
    const { queue } = start(handle, { maxConcurrent: 4 }, inNamespaces)
    for (const key of ['slow/1', 'slow/2', 'slow/3', 'slow/4', 'slow/5']) queue.add(key, self)
    await settle()
    expect(begun).toHaveLength(4)
  })

  it('begins a key at once although the reconciles of another namespace hold all slots', async () => {
    const { begun, handle } = heldTurns(true)
    const { queue } = start(handle, { maxConcurrent: 4 }, inNamespaces)
    for (const key of ['slow/1', 'slow/2', 'slow/3', 'slow/4', 'slow/5']) queue.add(key, self)
    await settle()
    for (const key of ['other/1', 'other/2', 'other/3']) queue.add(key, { ...self, priority: 'resync' })
    await settle()
    expect(begun.slice(4)).toEqual(['other/1', 'other/2'])
  })

  it('begins a delayed key of another namespace when it is due', async () => {
    const { begun, handle } = heldTurns(true)
    const { clock, queue } = start(handle, { maxConcurrent: 2 }, inNamespaces)
    for (const key of ['slow/1', 'slow/2', 'slow/3']) queue.add(key, self)
    queue.addAfter('other/1', 3_000, self)
    await clock.advance(2_999)
    expect(begun).toEqual(['slow/1', 'slow/2'])
    await clock.advance(1)
    expect(begun).toEqual(['slow/1', 'slow/2', 'other/1'])
  })

  it('reconciles a new resource within the time of one reconcile while 10,000 wait', async () => {
    const reconcileMs = 50
    const beganAtMs = new Map<string, number>()
    const handle: Handle = async ({ key }) => {
      beganAtMs.set(key, clock.monotonicMs())
      await new Promise<void>((resolve) => clock.setTimer(reconcileMs, resolve))
      return { kind: 'waiting', afterMs: 15_000 }
    }
    const rateLimit = new TokenBucket({ perSecond: 200, burst: 400 })
    const { clock, queue } = start(handle, { maxConcurrent: 10, rateLimits: [rateLimit] }, inNamespaces)
    for (let index = 0; index < 10_000; index++) queue.add(`busy/${index}`, self)
    await clock.advance(70_000)
    expect(beganAtMs.size, 'each has waited once').toBe(10_000)
    for (const namespace of ['busy', 'other']) {
      const key = `${namespace}/new`
      const addedAtMs = clock.monotonicMs()
      queue.add(key, self)
      await clock.advance(5_000)
      expect((beganAtMs.get(key) ?? Number.NaN) - addedAtMs).toBeLessThanOrEqual(reconcileMs)
    }
  })
})

describe('Worker, verdicts', () => {
  const cases: {
    name: string
    first: () => Promise<Verdict>
    fromMs: number
    toMs: number
    failures: number
    logs: number
  }[] = [
    {
      name: 'waiting',
      first: async () => ({ kind: 'waiting', afterMs: 700, isFollowUp: true }),
      fromMs: 700,
      toMs: 700,
      failures: 0,
      logs: 0,
    },
    { name: 'retry', first: async () => ({ kind: 'retry' }), fromMs: 5_000, toMs: 10_000, failures: 1, logs: 0 },
    {
      name: 'retry after',
      first: async () => ({ kind: 'retry', afterMs: 60_000 }),
      fromMs: 60_000,
      toMs: 60_000,
      failures: 1,
      logs: 0,
    },
    {
      name: 'a throw',
      first: () => Promise.reject(new Error('boom')),
      fromMs: 5_000,
      toMs: 10_000,
      failures: 1,
      logs: 1,
    },
    {
      name: 'a synchronous throw',
      first: () => {
        throw new Error('boom')
      },
      fromMs: 5_000,
      toMs: 10_000,
      failures: 1,
      logs: 1,
    },
    {
      name: 'a throw that asks for a wait',
      first: () =>
        Promise.reject(new CodedError({ code: 'Busy', message: 'busy', remedy: 'retry', retryAfterMs: 60_000 })),
      fromMs: 60_000,
      toMs: 60_000,
      failures: 1,
      logs: 1,
    },
    {
      name: 'a wait that is no number',
      first: async () => ({ kind: 'waiting', afterMs: Number.NaN }),
      fromMs: 5_000,
      toMs: 10_000,
      failures: 1,
      logs: 1,
    },
  ]
  it.each(cases)('after $name, reconciles again when due', async ({ first, fromMs, toMs, failures, logs }) => {
    const seen: WorkItem<string>[] = []
    const { clock, queue, lines } = start((item) => (seen.push(item) === 1 ? first() : Promise.resolve(settled)))
    queue.add('a', self)
    await clock.advance(fromMs - 1)
    expect(seen).toHaveLength(1)
    expect(lines).toHaveLength(logs)
    await clock.advance(toMs - fromMs + 1)
    expect(seen[1]).toMatchObject({ key: 'a', priority: 'user', failures })
    expect(queue.failuresOf('a')).toBe(0)
  })

  it.each([{ kind: 'settled' }, { kind: 'stopped' }] as const)(
    'after $kind, reconciles again only on an event',
    async (verdict) => {
      let turns = 0
      const { clock, queue } = start(async () => {
        turns++
        return verdict
      })
      queue.add('a', self)
      await clock.advance(86_400_000)
      expect([turns, queue.failuresOf('a')]).toEqual([1, 0])
      queue.add('a', self)
      await settle()
      expect(turns).toBe(2)
    },
  )

  it.each(['settled', 'stopped'] as const)(
    'after %s, reconciles again at the given time, at the lowest priority',
    async (kind) => {
      const seen: unknown[] = []
      const { clock, queue } = start(async ({ priority, causes }) => {
        seen.push({ priority, causes })
        return { kind, lookAgainAfterMs: 60_000 }
      })
      queue.add('a', self)
      await clock.advance(59_999)
      expect(seen).toHaveLength(1)
      await clock.advance(1)
      expect(seen).toEqual([
        { priority: 'user', causes: [{ kind: 'self' }] },
        { priority: 'resync', causes: [{ kind: 'resync' }] },
      ])
    },
  )

  it('after waiting, reconciles again at the lowest priority', async () => {
    const seen: unknown[] = []
    const { clock, queue } = start(async ({ priority, causes }) => {
      seen.push({ priority, causes })
      return seen.length === 1 ? { kind: 'waiting', afterMs: 15_000 } : settled
    })
    queue.add('a', self)
    await clock.advance(15_000)
    expect(seen).toEqual([
      { priority: 'user', causes: [{ kind: 'self' }] },
      { priority: 'resync', causes: [{ kind: 'timer' }] },
    ])
  })

  it('logs a thrown error once, with key, causes and error', async () => {
    const { queue, lines } = start(() => Promise.reject(new Error('boom')))
    queue.add('shop/orders', self)
    await settle()
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', key: 'shop/orders', causes: [{ kind: 'self' }], failures: 1, err: { message: 'boom' } },
    ])
  })

  it('continues with other keys when one always fails', async () => {
    const done: string[] = []
    const { clock, queue } = start(async ({ key }) => {
      if (key === 'poison') throw new Error('boom')
      done.push(key)
      return settled
    })
    for (const key of ['poison', 'a', 'b', 'c']) queue.add(key, self)
    await clock.advance(3_600_000)
    expect(done).toEqual(['a', 'b', 'c'])
  })
})

describe('Worker, reconciles that take too long', () => {
  it('aborts the reconcile at its limit and retries it', async () => {
    const { begun, handle } = heldTurns(true)
    const { clock, queue, lines } = start(handle, { turnTimeoutMs: 1_000 })
    queue.add('a', self)
    await clock.advance(999)
    expect([queue.takenCount, lines]).toEqual([1, []])
    await clock.advance(1)
    expect(queue.takenCount).toBe(0)
    expect(lines.join()).toContain('the limit of 1000 ms was reached')
    await clock.advance(10_000)
    expect(begun).toEqual(['a', 'a'])
  })

  it('gives the slot of a stuck reconcile to another key, but never its key to another reconcile', async () => {
    const { begun, handle, end } = heldTurns(false)
    const { clock, queue, lines } = start(handle, { turnTimeoutMs: 1_000, maxConcurrent: 1 })
    for (const key of ['stuck', 'b']) queue.add(key, self)
    await clock.advance(5_999)
    expect(begun).toEqual(['stuck'])
    await clock.advance(1)
    expect(begun).toEqual(['stuck', 'b'])
    expect(lines.join()).toContain('ignores its aborted signal')
    end('b')
    queue.add('stuck', self)
    await clock.advance(60_000)
    expect(begun).toEqual(['stuck', 'b'])
    end('stuck')
    await settle()
    expect(begun).toEqual(['stuck', 'b', 'stuck'])
  })

  it('bounds the number of stuck reconciles', async () => {
    const { begun, handle } = heldTurns(false)
    const { clock, queue } = start(handle, { turnTimeoutMs: 1_000, maxConcurrent: 2 })
    for (let index = 0; index < 20; index++) queue.add(`${index}`, self)
    await clock.advance(3_600_000)
    expect(begun).toHaveLength(4)
    expect(queue.idleForMs(), 'by which liveness tells').toBeGreaterThan(3_500_000)
  })
})

describe('Worker, its end', () => {
  it('drains: takes no more keys, and lets running reconciles end', async () => {
    const { begun, handle, end } = heldTurns(true)
    const { queue, worker, ended, hasEnded } = start(handle)
    for (const key of ['a', 'b', 'c']) queue.add(key, self)
    await settle()
    const drained = worker.drain(10_000)
    queue.add('late', self)
    end('a')
    await settle()
    expect([hasEnded(), begun]).toEqual([false, ['a', 'b']])
    end('b')
    await Promise.all([drained, ended])
    expect(queue.takenCount).toBe(0)
  })

  it('aborts reconciles that exceed the limit of the drain', async () => {
    const { handle } = heldTurns(true)
    const { clock, queue, worker, hasEnded, lines } = start(handle)
    queue.add('a', self)
    await settle()
    const drained = worker.drain(10_000)
    await clock.advance(9_999)
    expect([hasEnded(), queue.takenCount]).toEqual([false, 1])
    await clock.advance(1)
    await drained
    expect([queue.takenCount, lines]).toEqual([0, []])
  })

  it('abandons a reconcile that ignores its signal, and names it', async () => {
    const { handle } = heldTurns(false)
    const { clock, queue, worker, lines } = start(handle)
    queue.add('hung', self)
    await settle()
    const drained = worker.drain(10_000)
    await clock.advance(15_000)
    await drained
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', keys: ['hung'] }])
  })

  it('aborts all reconciles at once when its signal aborts, also during a drain', async () => {
    for (const drainsFirst of [false, true]) {
      const { handle } = heldTurns(true)
      const { queue, worker, life, ended, lines } = start(handle)
      for (const key of ['a', 'b', 'c']) queue.add(key, self)
      await settle()
      const drained = drainsFirst ? worker.drain(3_600_000) : Promise.resolve()
      await settle()
      life.abort(new Error('the lease is lost'))
      await Promise.all([ended, drained])
      expect([queue.isShutDown, queue.takenCount, lines]).toEqual([true, 0, []])
    }
  })

  it('uses the shorter of two limits', async () => {
    for (const limitsMs of [
      [10_000, 1_000],
      [1_000, 10_000],
    ]) {
      const { handle } = heldTurns(true)
      const { clock, queue, worker, hasEnded } = start(handle)
      queue.add('a', self)
      await settle()
      const drained = limitsMs.map((limitMs) => worker.drain(limitMs))
      await clock.advance(1_000)
      await Promise.all(drained)
      expect(hasEnded()).toBe(true)
    }
  })

  it('reconciles nothing if its signal had aborted, or it was drained, before it ran', async () => {
    const clock = new SimClock()
    for (const isDrained of [false, true]) {
      const queue = new WorkQueue<string>({
        clock,
        random: seededRandom(1),
        instruments: silentInstruments,
        name: 'test',
      })
      const handle = () => Promise.reject(new Error('never called'))
      const worker = new Worker({ clock, instruments: silentInstruments, queue, handle, maxConcurrent: 1 })
      queue.add('a', self)
      if (isDrained) await worker.drain(1_000)
      await worker.run(isDrained ? new AbortController().signal : AbortSignal.abort())
      expect([queue.isShutDown, queue.takenCount]).toEqual([true, 0])
    }
  })

  it('may be drained after its end', async () => {
    const { worker, life, ended } = start(async () => settled)
    life.abort()
    await ended
    await worker.drain(1_000)
  })

  it('has no timers and listeners after its end', async () => {
    const { handle, end } = heldTurns(true)
    const { clock, queue, worker, ended } = start(handle)
    queue.add('a', self)
    await settle()
    const drained = worker.drain(10_000)
    end('a')
    await Promise.all([drained, ended])
    expect(clock.nextTimerMs()).toBe(undefined)
  })

  it('rejects a limit of no keys', () => {
    expect(() => start(async () => settled, { maxConcurrent: 0 })).toThrow('at least one key')
  })
})
