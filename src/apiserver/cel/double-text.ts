// Text form of doubles, as Go's strconv writes them. Source: Go's strconv/ftoa.go.

/**
 * Returns the shortest digits that parse to the same number; with an exponent from 10^`threshold` on and below 10^-4.
 */
export function formatDouble(value: number, threshold: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= threshold) {
    const digits = String(Math.abs(exponent)).padStart(2, '0')
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`
  }
  return formatPlain(value)
}

/** Returns all digits without an exponent, with no more decimals than needed. */
export function formatPlain(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf'
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  const sign = mantissa.startsWith('-') || Object.is(value, -0) ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.padEnd(exponent + 1, '0')
  const fraction = whole.slice(exponent + 1)
  return `${sign}${whole.slice(0, exponent + 1)}${fraction === '' ? '' : `.${fraction}`}`
}
