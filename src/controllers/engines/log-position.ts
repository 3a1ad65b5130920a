// Which of two places in a server's write-ahead log comes first, and how far apart are they? Places are texts as the server writes
// them: two halves of 64 bits in hexadecimal. Pure.

/** `16/B374D848` */
export type LogPosition = string

/** Bytes from `from` to `to`; negative if `to` comes first. Throws a SyntaxError for what is no position. */
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
