// Format `duration`: Go's notation (`1h30m`) or Scala's (`3 days`).
// Sources: Go's time.ParseDuration, k8s.io/kube-openapi/pkg/validation/strfmt/duration.go.

const goDuration = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u
const goPart = /([0-9]*)\.?[0-9]*(ns|us|µs|μs|ms|s|m|h)/gu
const scalaPart = /([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/gu

const unitNanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const scalaUnits: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'])
const scalaWords = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week']

export function isDuration(text: string): boolean {
  return (goDuration.test(text) && isWithinInt64(text)) || isScalaDuration(text)
}

function isWithinInt64(text: string): boolean {
  let total = 0n
  for (const [, whole = '', unit = ''] of text.matchAll(goPart)) total += BigInt(whole) * (unitNanoseconds[unit] ?? 0n)
  return total < 2n ** 63n || (text.startsWith('-') && total === 2n ** 63n)
}

/** Returns whether the text has at least one part with a unit, anywhere. Every number must fit in an int64. */
function isScalaDuration(text: string): boolean {
  let isFound = false
  for (const [, digits = '', unit = ''] of text.matchAll(scalaPart)) {
    if (BigInt(digits) >= 2n ** 63n) return false
    const lower = unit.toLowerCase()
    isFound ||= scalaUnits.has(lower) || scalaWords.some((word) => lower.startsWith(word))
  }
  return isFound
}
