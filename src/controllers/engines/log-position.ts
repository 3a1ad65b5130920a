// Positions in a server's write-ahead log (LSN): order and distance. A position is text as the server writes it, two
// 32-bit halves in hexadecimal. Pure.

/** Example: `16/B374D848`. */
export type LogPosition = string

/** Returns the bytes from `from` to `to`, negative if `to` is first. Throws a SyntaxError for an invalid position. */
export function bytesBetween(from: LogPosition, to: LogPosition): bigint {
  return placeOf(to) - placeOf(from)
}

export function hasReached(position: LogPosition, goal: LogPosition): boolean {
  return bytesBetween(goal, position) >= 0n
}

function placeOf(position: LogPosition): bigint {
  const [high = '', low = ''] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
