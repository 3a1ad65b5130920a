// Times at which a user needs a reconcile without an event.
import { describe, expect, it } from 'vitest'
import type { Held, PasswordRule } from '../../../src/controllers/database-user/rotation.ts'
import { dueTimes, lastExpiryMs } from '../../../src/controllers/database-user/user-due.ts'
import { observedRole } from '../database/databases.ts'

const hour = 3_600_000
const active = { username: 'web_a', password: 'p', verifier: 'v' }
const held: Held = { active, rotatedAtMs: 10 * hour, generation: 1, source: 'generate' }
const rule: PasswordRule = { kind: 'generate', shape: { length: 32, charset: 'Alnum' }, intervalMs: 24 * hour }
const expiring = { logins: [observedRole({ validUntil: '1970-01-01T02:00:00Z' }), observedRole()] }

describe('time alone changes something for a user', () => {
  it.each<[string, Held | undefined, PasswordRule, typeof expiring | undefined, readonly number[]]>([
    ['never, where nothing rotates', held, { ...rule, intervalMs: undefined }, undefined, []],
    ['when the next rotation is due', held, rule, undefined, [34 * hour]],
    ['not by a rotation that is under way', { ...held, next: active }, rule, undefined, []],
    [
      'when an overlap is over',
      { ...held, previous: { username: 'web_b', untilMs: 12 * hour } },
      rule,
      undefined,
      [34 * hour, 12 * hour],
    ],
    ['not by an interval that a supplied password has not', held, { kind: 'supplied', value: 'p' }, undefined, []],
    ['when a login expires', undefined, { kind: 'none' }, expiring, [2 * hour]],
  ])('%s', (_, holds, says, seen, expected) => {
    expect(dueTimes(says, holds, seen)).toEqual(expected)
  })

  it('and a login that expired since the last observation is observed once more', () => {
    expect(lastExpiryMs(expiring, 2 * hour - 1)).toBeUndefined()
    expect(lastExpiryMs(expiring, 2 * hour)).toBe(2 * hour)
    expect(lastExpiryMs(expiring, 5 * hour)).toBe(2 * hour)
    expect(lastExpiryMs(undefined, 5 * hour)).toBeUndefined()
  })
})
