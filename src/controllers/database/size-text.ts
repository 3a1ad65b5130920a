// How large is a database, for people? Two digits say it, and a number that changes with every write is not worth one in turn. Pure.

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** `7.4MB`, `34MB`, `1.2GB`: powers of 1,024, as PostgreSQL counts. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (rounded(value) >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${rounded(value)}${units[unit]}`
}

/** To two digits, and to the whole above. */
function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value)
}
