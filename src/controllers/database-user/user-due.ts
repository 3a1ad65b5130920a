// Times at which a user changes without an event: next rotation, end of an overlap, and expiry of a login. Pure.
import type { ObservedUser } from './role-difference.ts'
import { type Held, type PasswordRule, rotationDueMs } from './rotation.ts'

/** Last observation; undefined if there is none. */
type Seen = Pick<ObservedUser, 'logins'> | undefined

/** Milliseconds since the epoch, unordered; some may have passed. */
export function dueTimes(rule: PasswordRule, held: Held | undefined, seen: Seen): readonly number[] {
  // A running rotation waits for the server, not for a time.
  const isResting = rule.kind === 'generate' && held !== undefined && held.next === undefined
  const times = [isResting ? rotationDueMs(rule, held) : undefined, held?.previous?.untilMs, ...expiries(seen)]
  return times.filter((ms) => ms !== undefined)
}

/** Time at which a login expired since its observation: a reason to observe it again. */
export function lastExpiryMs(seen: Seen, nowMs: number): number | undefined {
  const passed = expiries(seen).filter((ms) => ms <= nowMs)
  return passed.length === 0 ? undefined : Math.max(...passed)
}

function expiries(seen: Seen): readonly number[] {
  return (seen?.logins ?? []).flatMap(({ validUntil }) => (validUntil === undefined ? [] : [Date.parse(validUntil)]))
}
