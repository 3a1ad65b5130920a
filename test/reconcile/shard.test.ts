// The slots of one process: when reconciles may begin, and when a slot can be released.
import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../src/object/object.ts'
import type { Verdict } from '../../src/queue/worker.ts'
import { Shard, slotCount, slotOf } from '../../src/reconcile/shard.ts'
import { applySetId, partOfAnnotation, partOfLabel } from '../../src/synth/membership.ts'

const metadata = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' }
const parent: LiveObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
const set = applySetId(parent)
const slot = slotOf(set)
const childWith = (marks: object): LiveObject => ({ ...parent, metadata: { ...metadata, ...marks } })
const signal = new AbortController().signal

/** A reconcile that ends when the test resolves it. */
function reconcile() {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
  const seen = { begun: 0, aborted: false }
  const work = (until: AbortSignal) => {
    seen.begun += 1
    until.addEventListener('abort', () => {
      seen.aborted = true
      reject(until.reason)
    })
    return promise
  }
  return { work, seen, end: () => resolve({ kind: 'stopped' }) }
}

function worked(): Shard {
  const shard = new Shard()
  shard.fill([slot])
  shard.work([slot])
  return shard
}

describe('a shard', () => {
  it('keeps the resources of its slots and their children from the time it takes them', () => {
    const shard = new Shard()
    const kept = () => [
      shard.keeps(set),
      shard.keepsChild(childWith({ labels: { [partOfLabel]: set } })),
      shard.keepsChild(childWith({ annotations: { [partOfAnnotation]: set } })),
    ]
    expect(kept()).toEqual([false, false, false])
    shard.fill([slot])
    expect(kept()).toEqual([true, true, true])
    expect(shard.keepsChild(childWith({}))).toBe(false)
    expect(shard.works(set)).toBe(false)
  })

  it('runs a reconcile while its slot is worked, and returns its verdict', async () => {
    const { work, end } = reconcile()
    const running = worked().run(set, work, signal)
    end()
    expect(await running).toEqual({ kind: 'stopped' })
  })

  it.each<[string, (shard: Shard) => void]>([
    ['is not held', () => {}],
    ['is filled', (shard) => shard.fill([slot])],
    [
      'is drained',
      (shard) => {
        shard.fill([slot])
        shard.drain([slot])
      },
    ],
  ])('begins no reconcile while its slot %s', async (_, prepare) => {
    const shard = new Shard()
    prepare(shard)
    const { work, seen } = reconcile()
    expect(await shard.run(set, work, signal)).toEqual({ kind: 'settled' })
    expect(seen.begun).toBe(0)
  })

  it('is idle when the last reconcile of the slot has ended', async () => {
    const shard = worked()
    const { work, end } = reconcile()
    const running = shard.run(set, work, signal)
    shard.drain([slot])
    expect(() => shard.release([slot])).toThrow('drained first')
    let isIdle = false
    const idle = shard.whenIdle([slot]).then(() => {
      isIdle = true
    })
    await Promise.resolve()
    expect(isIdle).toBe(false)
    end()
    await running
    await idle
    shard.release([slot])
    expect(shard.slotsIn('filling', 'worked', 'draining')).toEqual([])
  })

  it('aborts running reconciles, and returns whether there were any', async () => {
    const shard = worked()
    expect(shard.cut([slot])).toBe(false)
    const { work, seen } = reconcile()
    const running = shard.run(set, work, signal)
    shard.drain([slot])
    expect(shard.cut([slot])).toBe(true)
    expect(await running).toEqual({ kind: 'settled' })
    expect(seen.aborted).toBe(true)
  })
})

it('resources are distributed evenly over all slots', () => {
  const counts = new Map<number, number>()
  for (let index = 0; index < 100 * slotCount; index++) {
    const its = slotOf(applySetId({ ...parent, metadata: { ...metadata, name: `page-${index}` } }))
    counts.set(its, (counts.get(its) ?? 0) + 1)
  }
  expect(counts.size).toBe(slotCount)
  expect(Math.max(...counts.values())).toBeLessThan(150)
})
