// Priorities of keys. A user waits for the effect of a change; a child's event continues work in progress. The first
// list and resyncs only confirm the state, and wait for both.

/** From the most to the least urgent. */
export const priorities = ['user', 'child', 'resync'] as const

export type Priority = (typeof priorities)[number]

/** Returns the more urgent of the two. */
export function moreUrgent(left: Priority, right: Priority): Priority {
  return isMoreUrgent(right, left) ? right : left
}

export function isMoreUrgent(left: Priority, right: Priority): boolean {
  return priorities.indexOf(left) < priorities.indexOf(right)
}
