// Order of two resourceVersions of one resource type, decided by the form of the text alone. Invariant: a text without
// the form is incomparable; nothing is guessed. Source: KEP-5504 (stable in Kubernetes 1.35).

/** Relation of the left version to the right one. */
export type VersionOrder = 'older' | 'equal' | 'newer' | 'incomparable'

const wellFormed = /^[1-9][0-9]*$/

/**
 * Compares two resourceVersions of the same resource type. Digits without a leading zero compare by length, then by
 * digit. Identical texts are always equal; anything else (some aggregated APIs) is incomparable.
 *
 * @example compareVersions('99', '100') // 'older'
 */
export function compareVersions(left: string, right: string): VersionOrder {
  if (left === right) return 'equal'
  if (!wellFormed.test(left) || !wellFormed.test(right)) return 'incomparable'
  if (left.length !== right.length) return left.length < right.length ? 'older' : 'newer'
  return left < right ? 'older' : 'newer'
}

/** True if this version can be ordered among others of its type. */
export function isComparable(resourceVersion: string): boolean {
  return wellFormed.test(resourceVersion)
}

/** True if a watch that has seen `seen` has reached `resourceVersion`. */
export function hasReached(seen: string, resourceVersion: string): boolean {
  const order = compareVersions(seen, resourceVersion)
  return order === 'newer' || order === 'equal'
}
