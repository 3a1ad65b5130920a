import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReadyLine } from '../../src/queue/ready-line.ts'

describe('ReadyLine', () => {
  it('is a list of distinct keys in the order of arrival, which any may leave', () => {
    const step = fc.record({ joins: fc.boolean(), key: fc.constantFrom(...'abcdefgh') })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const line = new ReadyLine<string>()
        let model: string[] = []
        for (const { joins, key } of steps) {
          const isIn = model.includes(key)
          if (joins) {
            line.join(key)
            if (!isIn) model = [...model, key]
          } else {
            expect(line.leave(key)).toBe(isIn)
            model = model.filter((other) => other !== key)
          }
          expect([line.size, line.first]).toEqual([model.length, model[0]])
        }
        for (const key of model) {
          expect(line.first).toBe(key)
          line.leave(key)
        }
        expect([line.size, line.first]).toEqual([0, undefined])
      }),
    )
  })

  it('is empty after clear', () => {
    const line = new ReadyLine<string>()
    line.join('a')
    line.clear()
    expect([line.size, line.first, line.leave('a')]).toEqual([0, undefined, false])
  })
})
