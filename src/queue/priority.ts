// Who goes first? A person waits for the change they just made; a child's event moves something that is under way; what
// merely confirms that all is as it was, the first list and resyncs, can wait for both.

/** From the most to the least urgent. */
export const priorities = ['user', 'child', 'resync'] as const

export type Priority = (typeof priorities)[number]

/** The more urgent of the two. */
export function moreUrgent(left: Priority, right: Priority): Priority {
  return isMoreUrgent(right, left) ? right : left
}

export function isMoreUrgent(left: Priority, right: Priority): boolean {
  return priorities.indexOf(left) < priorities.indexOf(right)
}
