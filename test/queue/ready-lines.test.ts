import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Priority, priorities } from '../../src/queue/priority.ts'
import { maxPasses, ReadyLines } from '../../src/queue/ready-lines.ts'

function fill(lines: ReadyLines<string>, priority: Priority, count: number): void {
  for (let index = 0; index < count; index++) lines.join(`${priority}-${index}`, priority)
}

describe('ReadyLines', () => {
  it('serves the most urgent line first, and each line in order', () => {
    const lines = new ReadyLines<string>()
    fill(lines, 'resync', 2)
    fill(lines, 'child', 2)
    fill(lines, 'user', 2)
    const served = Array.from({ length: 6 }, () => lines.serve()?.key)
    expect(served).toEqual(['user-0', 'user-1', 'child-0', 'child-1', 'resync-0', 'resync-1'])
    expect([lines.isEmpty, lines.serve()]).toEqual([true, undefined])
  })

  it('serves every line its share under an endless stream of urgent keys', () => {
    const lines = new ReadyLines<string>()
    fill(lines, 'resync', 20)
    fill(lines, 'child', 1_000)
    fill(lines, 'user', 1_000)
    const served = Array.from({ length: 20 * (maxPasses + 2) }, () => lines.serve()?.priority)
    expect(served.filter((priority) => priority === 'resync')).toHaveLength(20)
    expect(served.filter((priority) => priority === 'user').length).toBeGreaterThan(served.length * 0.75)
  })

  it('never skips a waiting line more often than the rule allows', () => {
    const move = fc.record({ priority: fc.constantFrom(...priorities), serves: fc.nat(3) })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 300 }), (moves) => {
        const lines = new ReadyLines<string>()
        const passes = new Map<Priority, number>(priorities.map((priority) => [priority, 0]))
        const serve = () => {
          const served = lines.serve()?.priority
          for (const [priority, count] of passes) {
            const isPassed = served !== undefined && served !== priority && lines.sizeOf(priority) > 0
            passes.set(priority, isPassed ? count + 1 : 0)
          }
          expect(Math.max(...passes.values())).toBeLessThanOrEqual(maxPasses + 1)
        }
        for (const [index, { priority, serves }] of moves.entries()) {
          lines.join(`${index}`, priority)
          for (let count = 0; count < serves; count++) serve()
        }
      }),
    )
  })

  it('does not count skips from before a line was last empty', () => {
    const lines = new ReadyLines<string>()
    fill(lines, 'user', 100)
    lines.join('impatient', 'child')
    for (let count = 0; count < maxPasses; count++) lines.serve()
    lines.leave('impatient', 'child')
    lines.serve()
    lines.join('late', 'child')
    expect(lines.serve()?.priority).toBe('user')
  })

  it('never serves a key that has left', () => {
    const lines = new ReadyLines<string>()
    fill(lines, 'child', 2)
    expect(lines.leave('child-0', 'child')).toBe(true)
    expect(lines.leave('child-0', 'child')).toBe(false)
    expect([lines.serve()?.key, lines.serve()]).toEqual(['child-1', undefined])
  })

  it('is empty after clear', () => {
    const lines = new ReadyLines<string>()
    fill(lines, 'user', 3)
    lines.clear()
    expect([lines.isEmpty, lines.sizeOf('user'), lines.serve()]).toEqual([true, 0, undefined])
  })

  it('serves groups round-robin, and the keys of each in order', () => {
    const lines = new ReadyLines<string>((key) => key.slice(0, 1))
    for (const key of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) lines.join(key, 'user')
    const served = Array.from({ length: 7 }, () => lines.serve()?.key)
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('skips groups that may not be served, and names other waiting groups', () => {
    const lines = new ReadyLines<string>((key) => key.slice(0, 1))
    lines.join('a1', 'user')
    lines.join('b1', 'resync')
    const asked: { group: string; othersWait: boolean }[] = []
    const served = lines.serve((ask) => {
      asked.push(ask)
      return ask.group !== 'a'
    })
    expect(served).toEqual({ key: 'b1', priority: 'resync' })
    expect(asked).toEqual([
      { group: 'a', othersWait: true },
      { group: 'b', othersWait: true },
    ])
    expect(lines.serve(({ othersWait }) => !othersWait)?.key).toBe('a1')
  })

  it('keeps a key that may not be served', () => {
    const lines = new ReadyLines<string>()
    lines.join('a', 'user')
    expect(lines.serve(() => false)).toBeUndefined()
    expect(lines.serve()?.key).toBe('a')
  })
})
