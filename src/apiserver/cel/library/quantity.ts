// CEL quantity library, for example `1.5Gi`. Source: k8s.io/apiserver/pkg/cel/library/quantity.go, apimachinery's
// resource.Quantity.
import { compareQuantities, parseQuantity, type Quantity } from '../../../object/quantity.ts'
import type { Library } from '../function-table.ts'
import { CelError, Composite, noSuchOverload, type Value } from '../value.ts'

/** Exactly `coefficient` × 10^`exponent`; `scaled` is set if the API server keeps the quantity as an int64. */
export class QuantityValue extends Composite {
  readonly typeName = 'kubernetes.Quantity'
  readonly quantity: Quantity
  /**
   * Value and decimal scale if an int64 holds them, as in the API server; undefined for a quantity of arbitrary
   * precision.
   */
  readonly scaled: Scaled | undefined

  constructor(quantity: Quantity, scaled: Scaled | undefined) {
    super()
    this.quantity = quantity
    this.scaled = scaled
  }

  equals(other: Value): Value {
    return other instanceof QuantityValue
      ? compareQuantities(this.quantity, other.quantity) === 0
      : noSuchOverload(other)
  }
}

interface Scaled {
  readonly value: bigint
  readonly scale: number
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

function quantityOf(text: string): Value {
  const quantity = parseQuantity(text)
  if (quantity !== undefined) return new QuantityValue(quantity, scaledOf(text))
  // Parses the number first, then the suffix.
  const [, suffix] = /^[+-]?[0-9]*\.?[0-9]*([eEinumkKMGTP]*[+-]?[0-9]*)$/.exec(text) ?? []
  if (suffix === undefined || text === '') return new CelError(wrongFormat)
  if (!/^([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE]|)$/.test(suffix)) return new CelError("unable to parse quantity's suffix")
  return new CelError('unable to parse numeric part of quantity')
}

/** Parses as the API server's fast path: limited digits, no finer than 10^-9. */
function scaledOf(text: string): Scaled | undefined {
  if (text === '0') return { value: 0n, scale: 0 }
  const [, sign, whole = '', fraction = '', suffix = ''] = /^([+-]?)([0-9]*)\.?([0-9]*)(.*)$/.exec(text) ?? []
  const integer = whole.replace(/^0+/, '') || '0'
  const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(suffix)
  if (binary > 0) {
    if (fraction !== '' || 15 - integer.length - Math.trunc((binary * 10 * 3) / 10) - 1 < 0) return undefined
    const value = BigInt(integer) << BigInt(binary * 10)
    return value < 2n ** 63n ? { value: sign === '-' ? -value : value, scale: 0 } : undefined
  }
  const power = suffix === '' ? 0 : (decimalPowers[suffix] ?? Number(suffix.slice(1)))
  const scale = power - fraction.length
  if (integer.length + fraction.length > 18 || scale < -9) return undefined
  const digits = BigInt(integer + fraction)
  return { value: sign === '-' ? -digits : digits, scale }
}

const decimalPowers: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}

function asInteger({ scaled }: QuantityValue): bigint | undefined {
  if (scaled === undefined || scaled.scale < 0 || scaled.scale > 18) return undefined
  const value = scaled.value * 10n ** BigInt(scaled.scale)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function asFloat({ quantity, scaled }: QuantityValue): number {
  const [base, exponent] =
    scaled === undefined ? [Number(quantity.coefficient), quantity.exponent] : [Number(scaled.value), scaled.scale]
  return exponent === 0 ? base : base * Number(`1e${exponent}`)
}

function plus(left: QuantityValue, right: QuantityValue, sign: 1n | -1n): Value {
  const exponent = Math.min(left.quantity.exponent, right.quantity.exponent)
  const at = ({ quantity }: QuantityValue) => quantity.coefficient * 10n ** BigInt(quantity.exponent - exponent)
  const sum = { coefficient: at(left) + sign * at(right), exponent, format: left.quantity.format }
  return new QuantityValue(sum, scaledSum(left.scaled, right.scaled, sign))
}

/** A sum of small quantities stays small if it fits an int64 at the finer scale. */
function scaledSum(left: Scaled | undefined, right: Scaled | undefined, sign: 1n | -1n): Scaled | undefined {
  if (left === undefined || right === undefined) return undefined
  if (right.value === 0n) return left
  if (left.value === 0n) return { value: sign * right.value, scale: right.scale }
  const scale = Math.min(left.scale, right.scale)
  if (Math.max(left.scale, right.scale) - scale > 18) return undefined
  const [a, b] = [left, right].map((part) => part.value * 10n ** BigInt(part.scale - scale))
  const value = (a ?? 0n) + sign * (b ?? 0n)
  const fits = [a, b, value].every((part) => part !== undefined && BigInt.asIntN(64, part) === part)
  return fits ? { value, scale } : undefined
}

function fromInteger(value: bigint): QuantityValue {
  return new QuantityValue({ coefficient: value, exponent: 0, format: 'DecimalExponent' }, { value, scale: 0 })
}

const compareTo = (left: QuantityValue, right: QuantityValue) => compareQuantities(left.quantity, right.quantity)

export const quantity: Library = {
  quantity: { overloads: { string_to_quantity: ['(string): Quantity', quantityOf] } },
  isQuantity: {
    overloads: { is_quantity_string: ['(string): bool', (text: string) => !(quantityOf(text) instanceof CelError)] },
  },
  // Declared as a global function although it is used as a member, so every use is rejected.
  sign: {
    overloads: {
      quantity_sign: ['(Quantity): int', ({ quantity: { coefficient } }: QuantityValue) => signOf(coefficient)],
    },
  },
  isGreaterThan: {
    overloads: {
      quantity_is_greater_than: [
        'Quantity.(Quantity): bool',
        (left: QuantityValue, right: QuantityValue) => compareTo(left, right) > 0,
      ],
    },
  },
  isLessThan: {
    overloads: {
      quantity_is_less_than: [
        'Quantity.(Quantity): bool',
        (left: QuantityValue, right: QuantityValue) => compareTo(left, right) < 0,
      ],
    },
  },
  compareTo: {
    overloads: {
      quantity_compare_to: [
        'Quantity.(Quantity): int',
        (left: QuantityValue, right: QuantityValue) => BigInt(Math.sign(compareTo(left, right))),
      ],
    },
  },
  asApproximateFloat: { overloads: { quantity_get_float: ['Quantity.(): double', asFloat] } },
  asInteger: {
    overloads: {
      quantity_get_int: [
        'Quantity.(): int',
        (value: QuantityValue) => asInteger(value) ?? new CelError('cannot convert value to integer'),
      ],
    },
  },
  isInteger: {
    overloads: {
      quantity_is_integer: ['Quantity.(): bool', (value: QuantityValue) => asInteger(value) !== undefined],
    },
  },
  add: {
    overloads: {
      quantity_add: [
        'Quantity.(Quantity): Quantity',
        (left: QuantityValue, right: QuantityValue) => plus(left, right, 1n),
      ],
      quantity_add_int: [
        'Quantity.(int): Quantity',
        (left: QuantityValue, right: bigint) => plus(left, fromInteger(right), 1n),
      ],
    },
  },
  sub: {
    overloads: {
      quantity_sub: [
        'Quantity.(Quantity): Quantity',
        (left: QuantityValue, right: QuantityValue) => plus(left, right, -1n),
      ],
      quantity_sub_int: [
        'Quantity.(int): Quantity',
        (left: QuantityValue, right: bigint) => plus(left, fromInteger(right), -1n),
      ],
    },
  },
}

function signOf(coefficient: bigint): bigint {
  if (coefficient === 0n) return 0n
  return coefficient < 0n ? -1n : 1n
}
