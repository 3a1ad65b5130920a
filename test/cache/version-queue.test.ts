import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VersionQueue } from '../../src/cache/version-queue.ts'
import { keyFor } from '../../src/object/ref.ts'

const key = (version: number) => keyFor('default', `a${version}`)

function takeAll(queue: VersionQueue, reached: string): readonly string[] {
  const taken: string[] = []
  for (let next = queue.takeReached(reached); next !== undefined; next = queue.takeReached(reached)) {
    taken.push(next.resourceVersion)
  }
  return taken
}

describe('VersionQueue', () => {
  it('returns reached keys, the oldest first, and keeps the rest', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200).map((version) => version + 1)), fc.nat(200), (versions, reached) => {
        const queue = new VersionQueue()
        for (const version of versions) queue.add(key(version), String(version))
        const sorted = versions.toSorted((left, right) => left - right).map(String)
        const count = versions.filter((version) => version <= reached).length
        expect(takeAll(queue, String(reached))).toEqual(sorted.slice(0, count))
        expect(takeAll(queue, '1000')).toEqual(sorted.slice(count))
      }),
    )
  })

  it('returns nothing for a version that cannot be compared', () => {
    const queue = new VersionQueue()
    queue.add(key(1), '1')
    expect(queue.takeReached('x')).toBeUndefined()
    expect(queue.takeReached('1')).toEqual({ key: key(1), resourceVersion: '1' })
  })

  it('is empty after clear', () => {
    const queue = new VersionQueue()
    queue.add(key(1), '1')
    queue.clear()
    expect(queue.takeReached('9')).toBeUndefined()
  })
})
