import { describe, expect, it } from 'vitest'
import { memberLeaseOf, slotsIn, slotsText } from '../../src/operator/member-lease.ts'
import { leaseWith } from './leases.ts'

describe('the slots of a member', () => {
  it.each([
    [[], '/256'],
    [[0], '0/256'],
    [[3, 1, 2, 9], '1-3,9/256'],
    [[254, 255], '254-255/256'],
  ])('have a text form: %j is %s', (slots, text) => {
    expect(slotsText(new Set(slots))).toBe(text)
    expect([...(slotsIn(text) ?? [])]).toEqual([...slots].sort((left, right) => left - right))
  })

  it.each(['', '1-3', '1/128', '3-1/256', '0-256/256', '-1/256', '1,,2/256', 'a/256', `${'1,'.repeat(900)}1/256`])(
    'are unknown for the text %j',
    (text) => {
      expect(slotsIn(text)).toBeUndefined()
    },
  )

  it('are all slots, so that no other member takes one, if the Lease names none', () => {
    const lease = leaseWith({ holderIdentity: 'a', leaseDurationSeconds: 15 })
    expect(memberLeaseOf(lease)).toMatchObject({ identity: 'a', durationMs: 15_000, isReady: false })
    expect(memberLeaseOf(lease).slots.size).toBe(256)
  })
})
