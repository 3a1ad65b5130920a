// Keys of artifacts. Invariant: no key leads out of its folder.
import { describe, expect, it } from 'vitest'
import { checkedKey, checkedPrefix } from '../../../src/controllers/stores/artifact-key.ts'

describe('the key of an artifact', () => {
  it.each(['a', 'shop/crm/2026-03-29T0230Z-x/data-1.dump', '_a/b.c'])('may be %s', (key) => {
    expect(checkedKey(key)).toBe(key)
    expect(checkedPrefix(`${key}/`)).toBe(`${key}/`)
  })

  it.each(['', '/a', 'a/', 'a//b', '..', '../a', 'a/../b', 'a/.b', 'a\\b', 'a b', 'ä', 'a\0b', 'x'.repeat(901)])(
    'may not be %j',
    (key) => {
      expect(() => checkedKey(key)).toThrow(/cannot be the key/)
    },
  )
})
