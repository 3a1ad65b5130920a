// How is a double written? As Go's strconv does. Source: Go's strconv/ftoa.go.

/** Shortest digits that give the same number; an exponent from 10^`threshold` on and below a ten-thousandth. */
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

/** All digits, never an exponent, no more decimals than it takes. */
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
