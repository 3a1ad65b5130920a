import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/base/errors.ts'

describe('messageOf', () => {
  it.each([
    ['an error', new Error('no such table'), 'no such table'],
    ['a text', 'no such table', 'no such table'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['an error whose message is no text', Object.assign(new Error('a'), { message: 5 }), '5'],
    ['an object without a text', Object.create(null), 'a value without a text was thrown'],
    [
      'an error that hides its message',
      Object.defineProperty(new Error('a'), 'message', { get: () => [].reduce((sum) => sum) }),
      'a value without a text was thrown',
    ],
  ])('returns the message of %s', (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message)
  })
})
