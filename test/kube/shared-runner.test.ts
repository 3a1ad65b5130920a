import { describe, expect, it } from 'vitest'
import { SharedRunner } from '../../src/kube/shared-runner.ts'

describe('SharedRunner', () => {
  const live = new AbortController().signal

  /** Work that ends when the test ends it. */
  function work() {
    const signals: AbortSignal[] = []
    const ends: PromiseWithResolvers<string>[] = []
    const task = (signal: AbortSignal) => {
      const end = Promise.withResolvers<string>()
      signals.push(signal)
      ends.push(end)
      return end.promise
    }
    return { task, signals, ends }
  }

  it('runs once for concurrent callers, and again for a later one', async () => {
    const runner = new SharedRunner<string>()
    const { task, ends } = work()
    const both = Promise.all([runner.run(task, live), runner.run(task, live)])
    ends[0]?.resolve('first')
    expect(await both).toEqual(['first', 'first'])
    const later = runner.run(task, live)
    ends[1]?.resolve('second')
    expect(await later).toBe('second')
    expect(ends).toHaveLength(2)
  })

  it('rejects all waiting callers with a failure, and starts again afterwards', async () => {
    const runner = new SharedRunner<string>()
    const { task, ends } = work()
    const both = Promise.allSettled([runner.run(task, live), runner.run(task, live)])
    ends[0]?.reject(new Error('broken'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const later = runner.run(task, live)
    ends[1]?.resolve('second')
    expect(await later).toBe('second')
  })

  it('continues while one caller is left, and aborts when the last one leaves', async () => {
    const runner = new SharedRunner<string>()
    const { task, signals } = work()
    const [one, two] = [new AbortController(), new AbortController()]
    const first = runner.run(task, one.signal)
    const second = runner.run(task, two.signal)
    one.abort(new Error('one left'))
    await expect(first).rejects.toThrow('one left')
    expect(signals[0]?.aborted).toBe(false)
    two.abort(new Error('two left'))
    await expect(second).rejects.toThrow('two left')
    expect(signals[0]?.aborted).toBe(true)
  })

  it('does not start for a caller that has aborted', async () => {
    const { task, signals } = work()
    await expect(new SharedRunner<string>().run(task, AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
    expect(signals).toEqual([])
  })

  it('does not let a new caller join abandoned work', async () => {
    const runner = new SharedRunner<string>()
    const { task, ends } = work()
    const controller = new AbortController()
    const first = runner.run(task, controller.signal)
    controller.abort(new Error('over'))
    await expect(first).rejects.toThrow('over')
    const second = runner.run(task, live)
    ends[1]?.resolve('fresh')
    expect(await second).toBe('fresh')
  })
})
