// Size of a database for people, rounded to two digits, so that the status does not change with every write. Pure.

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Returns e.g. `7.4MB`, `34MB`, `1.2GB`: powers of 1,024, as in PostgreSQL. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (rounded(value) >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${rounded(value)}${units[unit]}`
}

/** Rounds to two digits, or to an integer for larger values. */
function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value)
}
