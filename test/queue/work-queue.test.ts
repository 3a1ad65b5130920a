import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { maxCauses } from '../../src/queue/cause.ts'
import { moreUrgent, type Priority, priorities } from '../../src/queue/priority.ts'
import { type QueueRequest, type WorkItem, WorkQueue } from '../../src/queue/work-queue.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

const self: QueueRequest = { priority: 'user', cause: { kind: 'self' } }
const child: QueueRequest = { priority: 'child', cause: { kind: 'child' } }
const resync: QueueRequest = { priority: 'resync', cause: { kind: 'resync' } }

function newQueue() {
  const clock = new SimClock()
  const metrics = new PrometheusMetrics()
  const instruments = { ...silentInstruments, metrics }
  const queue = new WorkQueue<string>({ clock, random: seededRandom(1), instruments, name: 'databases' })
  return { clock, metrics, queue }
}

function takeAll(queue: WorkQueue<string>): WorkItem<string>[] {
  const items: WorkItem<string>[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item)
  return items
}

function taken(queue: WorkQueue<string>): WorkItem<string> {
  const item = queue.take()
  if (item === undefined) throw new Error('nothing is ready')
  return item
}

describe('WorkQueue, adding', () => {
  it('returns a key once, however often it was added, with all causes', () => {
    const { queue } = newQueue()
    queue.add('a', resync)
    queue.add('a', child)
    queue.add('a', child)
    expect(queue.size).toBe(1)
    expect(takeAll(queue)).toEqual([
      {
        key: 'a',
        priority: 'child',
        causes: [resync.cause, child.cause],
        droppedCauses: 0,
        failures: 0,
        queuedForMs: 0,
      },
    ])
  })

  it('serves urgent keys first and keys of one priority in order', () => {
    const { queue } = newQueue()
    queue.add('slow', resync)
    queue.add('b', child)
    queue.add('a', child)
    queue.add('fast', self)
    expect(takeAll(queue).map(({ key }) => key)).toEqual(['fast', 'b', 'a', 'slow'])
  })

  it('moves a key that has become more urgent to the end of its new line', () => {
    const { queue } = newQueue()
    queue.add('raised', resync)
    queue.add('a', self)
    queue.add('raised', self)
    queue.add('b', self)
    expect(takeAll(queue).map(({ key }) => key)).toEqual(['a', 'raised', 'b'])
  })

  it('does not make a key less urgent', () => {
    const { queue } = newQueue()
    queue.add('a', self)
    queue.add('b', self)
    queue.add('a', resync)
    expect(takeAll(queue).map(({ key, priority }) => [key, priority])).toEqual([
      ['a', 'user'],
      ['b', 'user'],
    ])
  })

  it('bounds the causes of a key and counts the dropped ones', () => {
    const { queue } = newQueue()
    for (let index = 0; index < 100; index++)
      queue.add('a', { priority: 'child', cause: { kind: 'child', detail: `${index}` } })
    expect(taken(queue)).toMatchObject({ droppedCauses: 100 - maxCauses })
  })
})

describe('WorkQueue, delays', () => {
  it('returns a delayed key when it is due, not before', async () => {
    const { clock, queue } = newQueue()
    queue.addAfter('a', 1_000, child)
    expect([queue.take(), queue.nextReadyInMs()]).toEqual([undefined, 1_000])
    await clock.advance(999)
    expect([queue.take(), queue.nextReadyInMs()]).toEqual([undefined, 1])
    await clock.advance(1)
    expect(queue.nextReadyInMs()).toBe(0)
    expect(taken(queue)).toMatchObject({ key: 'a', queuedForMs: 0 })
  })

  it.each([
    { first: 1_000, second: 200, dueMs: 200 },
    { first: 200, second: 1_000, dueMs: 200 },
    { first: 1_000, second: 0, dueMs: 0 },
    { first: 0, second: 1_000, dueMs: 0 },
    { first: 500, second: -1, dueMs: 0 },
  ])('takes the earlier of $first ms and $second ms', ({ first, second, dueMs }) => {
    const { queue } = newQueue()
    queue.addAfter('a', first, child)
    queue.addAfter('a', second, child)
    expect(queue.nextReadyInMs()).toBe(dueMs)
  })

  it('keeps a delay when only the priority is raised', async () => {
    const { clock, queue } = newQueue()
    queue.addAfter('a', 1_000, resync)
    queue.addAfter('a', 2_000, self)
    expect(queue.nextReadyInMs()).toBe(1_000)
    await clock.advance(1_000)
    expect(taken(queue).priority).toBe('user')
  })

  it('orders keys by the time at which they became ready, even without a call at that time', async () => {
    const { clock, queue } = newQueue()
    queue.addAfter('delayed', 500, child)
    await clock.advance(600)
    queue.add('later', child)
    expect(takeAll(queue).map(({ key, queuedForMs }) => [key, queuedForMs])).toEqual([
      ['delayed', 100],
      ['later', 0],
    ])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('rejects a delay of %d ms', (delayMs) => {
    const { queue } = newQueue()
    expect(() => queue.addAfter('a', delayMs, child)).toThrow('finite number of milliseconds')
  })
})

describe('WorkQueue, taken keys', () => {
  it('keeps a key that is added while taken, until it is done', () => {
    const { queue } = newQueue()
    queue.add('a', self)
    queue.take()
    queue.add('a', child)
    expect([queue.take(), queue.nextReadyInMs(), queue.takenCount]).toEqual([undefined, undefined, 1])
    queue.done('a')
    expect(taken(queue)).toMatchObject({ key: 'a', priority: 'child', causes: [child.cause] })
  })

  it('keeps the delay of a key that is added for later while taken', async () => {
    const { clock, queue } = newQueue()
    queue.add('a', self)
    queue.take()
    queue.addAfter('a', 1_000, child)
    await clock.advance(400)
    queue.done('a')
    expect(queue.nextReadyInMs()).toBe(600)
  })

  it('merges additions while taken', () => {
    const { queue } = newQueue()
    queue.add('a', resync)
    queue.take()
    queue.addAfter('a', 1_000, resync)
    queue.add('a', self)
    queue.done('a')
    expect(taken(queue)).toMatchObject({ priority: 'user', causes: [resync.cause, self.cause] })
  })

  it('rejects done for a key that is not taken', () => {
    const { queue } = newQueue()
    queue.add('a', self)
    expect(() => queue.done('a')).toThrow('only a taken key is done')
  })
})

describe('WorkQueue, failures', () => {
  it('retries with growing delays, the same priority and the same causes', async () => {
    const { clock, queue } = newQueue()
    queue.add('a', self)
    const delaysMs: number[] = []
    for (let failures = 0; failures < 4; failures++) {
      const item = taken(queue)
      expect(item).toMatchObject({ failures, priority: 'user' })
      queue.retry(item)
      queue.done('a')
      delaysMs.push(queue.nextReadyInMs() ?? 0)
      await clock.advance(delaysMs.at(-1) ?? 0)
    }
    for (const [index, delayMs] of delaysMs.entries()) {
      expect(delayMs).toBeGreaterThanOrEqual(5_000 * 2 ** index)
      expect(delayMs).toBeLessThanOrEqual(10_000 * 2 ** index)
    }
    expect(taken(queue).causes).toEqual([self.cause, { kind: 'retry' }])
  })

  it.each([
    { askedMs: 1, from: 5_000, to: 10_000 },
    { askedMs: 60_000, from: 60_000, to: 60_000 },
    { askedMs: 86_400_000, from: 300_000, to: 300_000 },
  ])('waits for the requested time ($askedMs ms), within the bounds of the backoff', ({ askedMs, from, to }) => {
    const { queue } = newQueue()
    queue.add('a', self)
    queue.retry(taken(queue), { afterMs: askedMs })
    queue.done('a')
    expect(queue.nextReadyInMs()).toBeGreaterThanOrEqual(from)
    expect(queue.nextReadyInMs()).toBeLessThanOrEqual(to)
  })

  it.each(['while the turn still runs', 'after it'])('lets no add end a requested wait early, %s', async (when) => {
    const { clock, queue } = newQueue()
    queue.add('a', child)
    const item = taken(queue)
    if (when === 'while the turn still runs') queue.add('a', self)
    queue.retry(item, { notBeforeMs: 60_000 })
    queue.done('a')
    if (when === 'after it') queue.add('a', self)
    expect(queue.nextReadyInMs()).toBe(60_000)
    await clock.advance(60_000)
    expect(taken(queue)).toMatchObject({ priority: 'user', failures: 1 })
    queue.done('a')
    queue.add('a', self)
    expect(queue.nextReadyInMs()).toBe(0)
  })

  it.each(['while the turn still runs', 'after it'])(
    'lets an add with overtakesNotBefore end a requested wait early, %s, once',
    async (when) => {
      const { queue } = newQueue()
      const wish = { ...self, overtakesNotBefore: true }
      queue.add('a', child)
      const item = taken(queue)
      if (when === 'while the turn still runs') queue.add('a', wish)
      queue.retry(item, { notBeforeMs: 60_000 })
      queue.done('a')
      if (when === 'after it') queue.add('a', wish)
      queue.add('a', child)
      expect(queue.nextReadyInMs()).toBe(0)
      queue.retry(taken(queue), { notBeforeMs: 60_000 })
      queue.done('a')
      queue.add('a', self)
      expect(queue.nextReadyInMs()).toBe(60_000)
    },
  )

  it('limits the wait by atMostMs, after any number of failures, and still counts them', () => {
    const { queue } = newQueue()
    queue.add('a', self)
    const item = taken(queue)
    for (let failures = 0; failures < 9; failures++) queue.retry(item, { atMostMs: 4_000 })
    queue.done('a')
    expect(queue.nextReadyInMs()).toBeGreaterThanOrEqual(2_000)
    expect(queue.nextReadyInMs()).toBeLessThanOrEqual(4_000)
    expect(queue.failuresOf('a')).toBe(9)
  })

  it('limits the wait by byMs, whatever else applies', () => {
    const { queue } = newQueue()
    queue.add('a', self)
    const item = taken(queue)
    queue.retry(item, { afterMs: 9_000, byMs: 1_234 })
    queue.done('a')
    expect(queue.nextReadyInMs()).toBe(1_234)
  })

  it('restarts the backoff after forget', () => {
    const { queue } = newQueue()
    queue.add('a', self)
    const item = taken(queue)
    for (let failures = 0; failures < 9; failures++) queue.retry(item)
    expect(queue.failuresOf('a')).toBe(9)
    queue.forget('a')
    expect(queue.failuresOf('a')).toBe(0)
  })

  it('lets a new event end the delay of a retry, and still counts its failures', () => {
    const { queue } = newQueue()
    queue.add('a', child)
    queue.retry(taken(queue))
    queue.done('a')
    queue.add('a', self)
    expect(taken(queue)).toMatchObject({ failures: 1, causes: [child.cause, { kind: 'retry' }, self.cause] })
  })

  it('has a separate backoff for each key', () => {
    const { queue } = newQueue()
    queue.add('poison', self)
    queue.add('good', self)
    queue.retry(taken(queue))
    expect(taken(queue)).toMatchObject({ key: 'good', failures: 0 })
  })
})

describe('WorkQueue, its listeners and its end', () => {
  it('calls listeners when a key is ready or gets a due time, until they are removed', () => {
    const { queue } = newQueue()
    let calls = 0
    const leave = queue.onReady(() => calls++)
    queue.add('a', self)
    queue.addAfter('b', 100, self)
    expect(calls).toBe(2)
    queue.add('a', self)
    expect(calls).toBe(2)
    queue.take()
    queue.add('a', self)
    expect(calls).toBe(2)
    queue.done('a')
    expect(calls).toBe(3)
    leave()
    queue.add('c', self)
    expect(calls).toBe(3)
  })

  it('drops waiting keys on shut-down, ignores later ones, and lets taken keys end', () => {
    const { queue } = newQueue()
    queue.add('taken', self)
    const item = taken(queue)
    queue.add('ready', self)
    queue.addAfter('delayed', 10, self)
    let calls = 0
    queue.onReady(() => calls++)
    queue.shutDown()
    queue.shutDown()
    queue.add('late', self)
    queue.retry(item)
    expect([queue.isShutDown, queue.size, queue.take(), queue.nextReadyInMs(), calls]).toEqual([
      true,
      0,
      undefined,
      undefined,
      1,
    ])
    expect(queue.takenCount).toBe(1)
    queue.done('taken')
    expect([queue.takenCount, queue.size]).toEqual([0, 0])
  })
})

/** Simple model of the queue: added keys, and taken keys. */
class Model {
  readonly #wanted = new Map<string, { readonly priority: Priority; readonly readyAtMs: number }>()
  readonly #out = new Set<string>()

  get sizes(): readonly [number, number] {
    return [this.#wanted.size, this.#out.size]
  }

  add(key: string, priority: Priority, readyAtMs: number): void {
    const before = this.#wanted.get(key) ?? { priority, readyAtMs }
    this.#wanted.set(key, {
      priority: moreUrgent(before.priority, priority),
      readyAtMs: Math.min(before.readyAtMs, readyAtMs),
    })
  }

  checkTaken(item: WorkItem<string> | undefined, nowMs: number): void {
    const ready = [...this.#wanted].filter(([key, wish]) => !this.#out.has(key) && wish.readyAtMs <= nowMs)
    if (item === undefined) {
      expect(ready).toEqual([])
      return
    }
    const [, wish] = ready.find(([key]) => key === item.key) ?? []
    expect([item.priority, item.queuedForMs]).toEqual([wish?.priority, nowMs - (wish?.readyAtMs ?? Number.NaN)])
    this.#wanted.delete(item.key)
    this.#out.add(item.key)
  }

  done(key: string): boolean {
    return this.#out.delete(key)
  }
}

describe('WorkQueue, after any history', () => {
  const keys = ['a', 'b', 'c', 'd'] as const
  const key = fc.constantFrom(...keys)
  const delayMs = fc.constantFrom(0, 0, 10, 50)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), key, delayMs, priority: fc.constantFrom(...priorities) }),
    fc.record({ kind: fc.constant('take' as const) }),
    fc.record({ kind: fc.constant('done' as const), key }),
    fc.record({ kind: fc.constant('advance' as const), byMs: fc.nat(30) }),
  )

  it('loses no added key, never hands out a key twice at once, and merges as documented', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, queue } = newQueue()
        const model = new Model()
        const take = () => model.checkTaken(queue.take(), clock.monotonicMs())
        const done = (key: string) => model.done(key) && queue.done(key)
        const act = (step: (typeof steps)[number]): unknown => {
          if (step.kind === 'take') return take()
          if (step.kind === 'done') return done(step.key)
          if (step.kind === 'advance') return clock.advance(step.byMs)
          queue.addAfter(step.key, step.delayMs, { priority: step.priority, cause: { kind: 'self' } })
          return model.add(step.key, step.priority, clock.monotonicMs() + step.delayMs)
        }
        for (const step of steps) {
          await act(step)
          expect([queue.size, queue.takenCount]).toEqual(model.sizes)
        }
        keys.forEach(done)
        await clock.advance(50)
        for (const _ of keys) take()
        expect([queue.size, queue.take()]).toEqual([0, undefined])
      }),
      { numRuns: 60 },
    )
  })

  it('serves a resync under an endless stream of user changes', () => {
    const { queue } = newQueue()
    queue.add('resync', resync)
    const served: string[] = []
    for (let turn = 0; turn < 30; turn++) {
      queue.add(`user-${turn}`, self)
      const item = taken(queue)
      served.push(item.key)
      queue.done(item.key)
    }
    expect(served.indexOf('resync')).toBe(9)
  })

  it('serves a user change next although thousands of resyncs wait', () => {
    const { queue } = newQueue()
    for (let index = 0; index < 5_000; index++) queue.add(`${index}`, resync)
    queue.add('user', self)
    expect(taken(queue).key).toBe('user')
  })
})

describe('WorkQueue, its metrics', () => {
  it('report depth by priority, adds, retries and durations', async () => {
    const { clock, metrics, queue } = newQueue()
    queue.add('a', self)
    queue.add('a', self)
    queue.add('b', resync)
    queue.add('c', resync)
    queue.add('c', self)
    await clock.advance(2_000)
    const item = taken(queue)
    await clock.advance(3_000)
    queue.reportRunning()
    const text = await metrics.text()
    expect(text).toContain('workqueue_depth{name="databases",priority="user"} 1')
    expect(text).toContain('workqueue_depth{name="databases",priority="resync"} 1')
    expect(text).toContain('workqueue_adds_total{name="databases"} 3')
    expect(text).toContain('workqueue_queue_duration_seconds_sum{name="databases"} 2')
    expect(text).toContain('workqueue_unfinished_work_seconds{name="databases"} 3')
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="databases"} 3')
    queue.retry(item)
    queue.done(item.key)
    queue.reportRunning()
    queue.shutDown()
    const after = await metrics.text()
    expect(after).toContain('workqueue_retries_total{name="databases"} 1')
    expect(after).toContain('workqueue_work_duration_seconds_sum{name="databases"} 3')
    expect(after).toContain('workqueue_unfinished_work_seconds{name="databases"} 0')
    expect(after).toContain('workqueue_depth{name="databases",priority="resync"} 0')
  })
})

describe('WorkQueue, idleness', () => {
  it('is the time for which keys have been ready while none was taken or done', async () => {
    const { clock, queue } = newQueue()
    await clock.advance(1_000)
    expect(queue.idleForMs(), 'nothing to do').toBe(0)
    queue.add('a', self)
    queue.add('b', self)
    await clock.advance(2_000)
    expect(queue.idleForMs()).toBe(2_000)
    taken(queue)
    expect(queue.idleForMs()).toBe(0)
    await clock.advance(3_000)
    expect(queue.idleForMs()).toBe(3_000)
    queue.done('a')
    expect(queue.idleForMs()).toBe(0)
    taken(queue)
    await clock.advance(4_000)
    expect(queue.idleForMs(), 'nothing is ready').toBe(0)
  })

  it('counts a delayed key from its due time', async () => {
    const { clock, queue } = newQueue()
    queue.addAfter('a', 5_000, child)
    await clock.advance(5_000)
    expect(queue.idleForMs()).toBe(0)
    await clock.advance(700)
    expect(queue.idleForMs()).toBe(700)
  })
})
