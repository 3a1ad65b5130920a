// Which of two versions of one resource type is the later? Decided by the form of the text alone, and never guessed: what
// does not have the form is incomparable. Source: KEP-5504 (stable in Kubernetes 1.35).

/** How the left version relates to the right one. */
export type VersionOrder = 'older' | 'equal' | 'newer' | 'incomparable'

const wellFormed = /^[1-9][0-9]*$/

/**
 * Compares two resourceVersions of the same resource type. Digits without a leading zero compare by length, then by
 * digit; identical texts are equal whatever their form; anything else (some aggregated APIs) is incomparable.
 *
 * @example compareVersions('99', '100') // 'older'
 */
export function compareVersions(left: string, right: string): VersionOrder {
  if (left === right) return 'equal'
  if (!wellFormed.test(left) || !wellFormed.test(right)) return 'incomparable'
  if (left.length !== right.length) return left.length < right.length ? 'older' : 'newer'
  return left < right ? 'older' : 'newer'
}

/** Can this version be ordered among others of its type? */
export function isComparable(resourceVersion: string): boolean {
  return wellFormed.test(resourceVersion)
}

/** True if a watch that has seen `seen` is past `resourceVersion`, or at it. */
export function hasReached(seen: string, resourceVersion: string): boolean {
  const order = compareVersions(seen, resourceVersion)
  return order === 'newer' || order === 'equal'
}
