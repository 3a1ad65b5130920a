import { describe, expect, it } from 'vitest'
import { inParallel } from '../../src/base/parallel-runner.ts'

const items = Array.from({ length: 100 }, (_, index) => index)

describe('inParallel', () => {
  it('works every item in order, within the limit of parallel items', async () => {
    const begun: number[] = []
    let [running, most] = [0, 0]
    await inParallel(items, 7, async (item) => {
      begun.push(item)
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
    })
    expect(begun).toEqual(items)
    expect(most).toBe(7)
  })

  it('starts no more items after a failure, and rejects when the running ones have ended', async () => {
    const ended: number[] = []
    const gate = Promise.withResolvers<void>()
    const work = inParallel(items, 2, async (item) => {
      if (item === 1) throw new Error('one')
      await gate.promise
      ended.push(item)
    })
    gate.resolve()
    await expect(work).rejects.toThrow('one')
    expect(ended).toEqual([0])
  })

  it('does nothing for an empty list', async () => {
    await inParallel([], 3, () => Promise.reject(new Error('never')))
  })
})
