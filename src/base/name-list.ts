// Names in a message: the first few, and how many more there are. Pure.

/** `a, b and 3 more`, with at most `most` names. */
export function nameList(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return names.slice(0, most).join(', ') + more
}
