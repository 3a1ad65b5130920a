// Parses durations as Kubernetes writes them, e.g. `1h30m`: numbers with mandatory units. Source: Go's
// time.ParseDuration, without the sign and without the units below a millisecond.

const unitsMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const
const part = /(\d{1,9}(?:\.\d{1,9})?)(h|ms|m|s)/g
const whole = new RegExp(`^(?:${part.source})+$`)

/**
 * Returns milliseconds, or undefined if the text is no duration.
 *
 * @example durationMs('1h30m') // 5_400_000
 */
export function durationMs(text: string): number | undefined {
  if (!whole.test(text)) return undefined
  // Sound: the pattern names exactly the units of the table.
  const parts = [...text.matchAll(part)].map(([, count, unit]) => Number(count) * unitsMs[unit as keyof typeof unitsMs])
  return parts.reduce((sum, ms) => sum + ms, 0)
}
