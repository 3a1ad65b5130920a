import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DelayHeap } from '../../src/queue/delay-heap.ts'

type Step = { readonly kind: 'put' | 'remove'; readonly key: string; readonly dueMs: number } | { readonly kind: 'pop' }

const key = fc.constantFrom(...'abcdefghijklmnop')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put'), key, dueMs: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), key, dueMs: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pop') }) },
)

describe('DelayHeap', () => {
  it('is a list sorted by due time and then by insertion, after any operations', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new DelayHeap<string>()
        let model: { key: string; dueMs: number }[] = []
        for (const step of steps) {
          if (step.kind === 'pop') {
            const first = model.shift()
            const popped = heap.pop()
            expect(popped && { key: popped.key, dueMs: popped.dueMs }).toEqual(first)
          } else {
            const isIn = model.some((due) => due.key === step.key)
            model = model.filter((due) => due.key !== step.key)
            if (step.kind === 'remove') {
              expect(heap.remove(step.key)).toBe(isIn)
            } else {
              heap.put(step.key, step.dueMs)
              model = [...model, { key: step.key, dueMs: step.dueMs }].sort((left, right) => left.dueMs - right.dueMs)
            }
          }
          expect(heap.size).toBe(model.length)
          expect(heap.peek()).toMatchObject(model[0] ?? {})
          expect(heap.peek() === undefined).toBe(model.length === 0)
          for (const due of model) expect(heap.dueMsOf(due.key)).toBe(due.dueMs)
        }
        expect(model.map(() => heap.pop()?.key)).toEqual(model.map((due) => due.key))
      }),
    )
  })

  it('is empty after clear', () => {
    const heap = new DelayHeap<string>()
    heap.put('a', 1)
    heap.clear()
    expect([heap.size, heap.peek(), heap.pop(), heap.dueMsOf('a'), heap.remove('a')]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      false,
    ])
  })
})
