import { describe, expect, it } from 'vitest'
import { NamespaceShares } from '../../src/telemetry/namespace-shares.ts'

const sharesOf = (held: Readonly<Record<string, number>>) => {
  const shares = new NamespaceShares()
  for (const [namespace, count] of Object.entries(held)) for (let at = 0; at < count; at++) shares.add(namespace)
  return shares
}

describe('the shares of namespaces', () => {
  it.each([
    ['nobody else', { own: 5 }, undefined],
    ['a namespace with as many', { own: 5, a: 5 }, undefined],
    ['a namespace with one more', { own: 5, a: 6 }, undefined],
    ['a namespace with two more', { own: 5, a: 7 }, 'a'],
    ['the one of several with most', { own: 1, a: 3, b: 9, c: 4 }, 'b'],
    ['cluster-scoped objects', { own: 0, '': 2 }, ''],
  ])('take an entry from %s', (_, held, giver) => {
    expect(sharesOf(held).giverFor('own')).toBe(giver)
  })

  it('end with the last entry', () => {
    const shares = sharesOf({ a: 1 })
    shares.remove('a')
    expect(shares.heldBy('a')).toBe(0)
    expect(shares.giverFor('own')).toBeUndefined()
  })
})
