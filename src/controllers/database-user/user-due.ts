// When does time alone change something for a user? When the next rotation is due, when an overlap is over, and when a login expires
// that is only reported on. Pure.
import type { ObservedUser } from './role-difference.ts'
import { type Held, type PasswordRule, rotationDueMs } from './rotation.ts'

/** As last seen; undefined: nothing was. */
type Seen = Pick<ObservedUser, 'logins'> | undefined

/** Milliseconds since the epoch, in no order; some may have passed. */
export function dueTimes(rule: PasswordRule, held: Held | undefined, seen: Seen): readonly number[] {
  // One that is under way waits for the server and not for the time.
  const isResting = rule.kind === 'generate' && held !== undefined && held.next === undefined
  const times = [isResting ? rotationDueMs(rule, held) : undefined, held?.previous?.untilMs, ...expiries(seen)]
  return times.filter((ms) => ms !== undefined)
}

/** When a login last expired that had not when it was seen: a reason to look at it once more. */
export function lastExpiryMs(seen: Seen, nowMs: number): number | undefined {
  const passed = expiries(seen).filter((ms) => ms <= nowMs)
  return passed.length === 0 ? undefined : Math.max(...passed)
}

function expiries(seen: Seen): readonly number[] {
  return (seen?.logins ?? []).flatMap(({ validUntil }) => (validUntil === undefined ? [] : [Date.parse(validUntil)]))
}
