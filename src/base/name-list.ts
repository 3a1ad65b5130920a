// Lists names in a message: the first few, and the number of the rest. Pure.

/**
 * Returns `a, b and 3 more`, with at most `most` names.
 *
 * @example nameList(['a', 'b', 'c'], 2) // 'a, b and 1 more'
 */
export function nameList(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return names.slice(0, most).join(', ') + more
}
