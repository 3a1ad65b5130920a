// Quantities such as `1.5Gi`, and their canonical form in the API server. Arithmetic is exact, on a decimal coefficient
// without floating point. Source of grammar and canonical form: apimachinery's resource.Quantity (v0.36), whose output
// the tests contain.

/** The family of suffixes of a quantity; the canonical form keeps it where that loses nothing. */
export type QuantityFormat = 'DecimalSI' | 'DecimalExponent' | 'BinarySI'

/**
 * `coefficient` × 10^`exponent`, never finer than a billionth. The coefficient has no trailing zeros; zero is 0 × 10^0.
 */
export interface Quantity {
  readonly coefficient: bigint
  readonly exponent: number
  readonly format: QuantityFormat
}

/**
 * Returns the quantity of `text`, or undefined if it is none. Rounds away from zero to whole billionths, and caps a
 * binary suffix at ±(2^63 - 1), as the API server does. A text without a digit is zero where the server reads zero:
 * `Ki`, `+P`, but not `Ei`.
 *
 * One deviation: a text of more than 128 characters is rejected, because its arithmetic would cost a reader more than
 * its writer.
 *
 * @example parseQuantity('1.5Gi') // { coefficient: 1610612736n, exponent: 0, format: 'BinarySI' }
 */
export function parseQuantity(text: string): Quantity | undefined {
  return parsed(text)
}

/** Returns the API server's error for a text that is no quantity; undefined for a quantity. */
export function quantityFault(text: string): string | undefined {
  const written = readWritten(text)
  return typeof written === 'string' ? written : undefined
}

/** True if the text is a quantity. */
export function isQuantity(text: string): boolean {
  return quantityFault(text) === undefined
}

/**
 * Returns a negative number, zero or a positive number, as `left` is less than, equal to or greater than `right`;
 * formats do not matter.
 */
export function compareQuantities(left: Quantity, right: Quantity): number {
  const signs = signOf(left.coefficient) - signOf(right.coefficient)
  if (signs !== 0) return signs
  // Magnitudes first, so that 1e1000000 is never expanded.
  const magnitudes = magnitudeOf(left) - magnitudeOf(right)
  if (magnitudes !== 0) return magnitudes * signOf(left.coefficient)
  const common = Math.min(left.exponent, right.exponent)
  return signOf(
    left.coefficient * 10n ** BigInt(left.exponent - common) -
      right.coefficient * 10n ** BigInt(right.exponent - common),
  )
}

/**
 * Returns the form that the API server stores for a quantity sent as a JSON string or number, or undefined if it would
 * reject it. Examples: `0.5` → `500m`, `1024Mi` → `1Gi`, `1.5Gi` → `1536Mi`, `0.1Gi` → `107374182400m`.
 *
 * Equal amounts may keep different texts: the server returns a text that it considers canonical unchanged, so that
 * `1.234`, `1234m` and `+1` all stay.
 */
export function canonicalQuantity(sent: string | number): string | undefined {
  return canonical(String(sent).trim())
}

/**
 * Returns the API server's form of an amount that is limited to thousandths (resource lists): rounded away from zero,
 * and always canonical. Undefined for a text that is no quantity.
 */
export function quantityInMilli(text: string): string | undefined {
  const quantity = parseQuantity(text)
  if (quantity === undefined) return undefined
  return formatQuantity(quantity.exponent >= milli ? quantity : { ...quantity, ...inMilli(quantity) })
}

const textsKept = 1_024
const longestKept = 32

/** Caches the results for the last texts: a cluster repeats the same few quantities. */
function remembered<Made>(make: (text: string) => Made): (text: string) => Made {
  const known = new Map<string, { readonly made: Made }>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found.made
    const made = make(text)
    if (known.size === textsKept) known.clear()
    if (text.length <= longestKept) known.set(text, { made })
    return made
  }
}

const parsed = remembered((text): Quantity | undefined => {
  const written = readWritten(text)
  return typeof written === 'string' ? undefined : amountOf(written)
})

const canonical = remembered((text): string | undefined => {
  const written = readWritten(text)
  if (typeof written === 'string') return undefined
  return isTakenForCanonical(written) ? text : formatQuantity(amountOf(written))
})

/** The parts of a text; `whole` has no leading zeros but at least one digit. */
interface Written {
  readonly isNegative: boolean
  readonly whole: string
  readonly fraction: string
  readonly unit: Unit
}

interface Unit {
  readonly format: QuantityFormat
  readonly base: 2 | 10
  readonly power: number
}

const maxLength = 128
const maxExponent = 2 ** 31 - 1
const nano = -9
const milli = -3
const maxBinary = 2n ** 63n - 1n
/** Number of digits that always fit an int64; the server's fast path ends there. */
const int64Digits = 18

const decimalUnits: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const binaryUnits: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const decimalSuffixes: ReadonlyMap<number, string> = new Map(
  [...decimalUnits].map(([suffix, power]) => [power, suffix]),
)

const grammar = /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[eEinumkKMGTP]*[-+]?\d*)$/
const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongNumber = 'unable to parse numeric part of quantity'
const wrongSuffix = "unable to parse quantity's suffix"

/** Returns the parts of the text, or its error. */
function readWritten(text: string): Written | string {
  const groups = text === '' || text.length > maxLength ? undefined : grammar.exec(text)?.groups
  if (groups === undefined) return wrongFormat
  const { sign = '', whole = '', fraction = '', suffix = '' } = groups
  const unit = unitOf(suffix)
  if (unit === undefined) return wrongSuffix
  if (whole === '' && fraction === '' && !isZeroWithoutDigits(unit)) return wrongNumber
  return { isNegative: sign === '-', whole: whole.replace(/^0+/, '') || '0', fraction, unit }
}

/** The server reads a missing number as zero only on its fast path, which ends at units that an int64 may not hold. */
function isZeroWithoutDigits({ base, power }: Unit): boolean {
  return base === 2 ? power <= 40 : power >= nano
}

function unitOf(suffix: string): Unit | undefined {
  const decimal = decimalUnits.get(suffix)
  if (decimal !== undefined) return { format: 'DecimalSI', base: 10, power: decimal }
  const binary = binaryUnits.indexOf(suffix)
  if (binary > 0) return { format: 'BinarySI', base: 2, power: binary * 10 }
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined
  const power = Number(suffix.slice(1))
  return Math.abs(power) <= maxExponent ? { format: 'DecimalExponent', base: 10, power } : undefined
}

function amountOf({ isNegative, whole, fraction, unit }: Written): Quantity {
  const digits = BigInt(whole + fraction)
  const magnitude =
    unit.base === 2
      ? capped(roundedUp(digits << BigInt(unit.power), -fraction.length))
      : roundedUp(digits, unit.power - fraction.length)
  const signed = { ...magnitude, coefficient: isNegative ? -magnitude.coefficient : magnitude.coefficient }
  return { ...signed, format: unit.format }
}

type Decimal = Pick<Quantity, 'coefficient' | 'exponent'>

/** Returns the smallest multiple of a billionth that is not less, in lowest terms. */
function roundedUp(coefficient: bigint, exponent: number): Decimal {
  if (exponent >= nano || coefficient === 0n) return lowestTerms(coefficient, exponent)
  const surplus = nano - exponent
  if (surplus > coefficient.toString().length) return { coefficient: 1n, exponent: nano }
  const divisor = 10n ** BigInt(surplus)
  return lowestTerms((coefficient + divisor - 1n) / divisor, nano)
}

function inMilli({ coefficient, exponent }: Quantity): Decimal {
  const divisor = 10n ** BigInt(milli - exponent)
  const magnitude = coefficient < 0n ? -coefficient : coefficient
  const rounded = (magnitude + divisor - 1n) / divisor
  return lowestTerms(coefficient < 0n ? -rounded : rounded, milli)
}

function lowestTerms(coefficient: bigint, exponent: number): Decimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 }
  let [reduced, power] = [coefficient, exponent]
  for (; reduced % 10n === 0n; power++) reduced /= 10n
  return { coefficient: reduced, exponent: power }
}

function capped(decimal: Decimal): Decimal {
  const isOver = compareQuantities(
    { ...decimal, format: 'BinarySI' },
    { coefficient: maxBinary, exponent: 0, format: 'BinarySI' },
  )
  return isOver > 0 ? lowestTerms(maxBinary, 0) : decimal
}

/**
 * True if the server would return the text unchanged. Its rule: few enough digits for an int64, no finer than a
 * billionth, and no obvious sign that a larger suffix fits.
 */
function isTakenForCanonical({ whole, fraction, unit }: Written): boolean {
  if (unit.base === 2) {
    const digits = whole.length + Math.trunc((unit.power * 3) / 10) + 1
    return fraction === '' && digits <= 15 && BigInt(whole) % 8n !== 0n
  }
  const digits = whole + fraction
  const scale = unit.power - fraction.length
  const isShort = digits.length <= int64Digits && scale >= nano
  return isShort && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
}

/** Returns the canonical form: no fraction, no precision lost, the largest suffix that allows both. */
function formatQuantity(quantity: Quantity): string {
  if (quantity.coefficient === 0n) return '0'
  const isWhole = quantity.exponent >= 0
  if (quantity.format === 'BinarySI' && isWhole) {
    const value = quantity.coefficient * 10n ** BigInt(quantity.exponent)
    if (value <= -1024n || value >= 1024n) return formatBinary(value)
  }
  return formatDecimal(quantity)
}

function formatBinary(value: bigint): string {
  let [reduced, power] = [value, 0]
  for (; reduced % 1024n === 0n; power++) reduced /= 1024n
  return `${reduced}${binaryUnits[power] ?? ''}`
}

function formatDecimal({ coefficient, exponent, format }: Quantity): string {
  const surplus = ((exponent % 3) + 3) % 3
  const power = exponent - surplus
  const digits = coefficient * 10n ** BigInt(surplus)
  if (format === 'DecimalExponent') return power === 0 ? `${digits}` : `${digits}e${power}`
  // There is no suffix above E; the server then writes none at all, and so must a prediction of it.
  return `${digits}${decimalSuffixes.get(power) ?? ''}`
}

function signOf(coefficient: bigint): -1 | 0 | 1 {
  if (coefficient === 0n) return 0
  return coefficient < 0n ? -1 : 1
}

/** Returns the number of digits before the decimal point. */
function magnitudeOf({ coefficient, exponent }: Quantity): number {
  return coefficient.toString().replace('-', '').length + exponent
}
