// Range of estimated sizes. It saturates at 2^64 instead of overflowing.
// Source: github.com/google/cel-go/checker/cost.go (SizeEstimate).

export const unbounded = 2 ** 64

export interface SizeRange {
  readonly min: number
  readonly max: number
}

export const unknownSize: SizeRange = { min: 0, max: unbounded }

export function exactly(size: number): SizeRange {
  return { min: size, max: size }
}

export function plus(left: number, right: number): number {
  return Math.min(left + right, unbounded)
}

export function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : Math.min(left * right, unbounded)
}

/** Returns a size times a cost per unit, rounded up. */
export function atRate(size: number, rate: number): number {
  return Math.min(Math.ceil(size * rate), unbounded)
}

export function sumOf(left: SizeRange, right: SizeRange): SizeRange {
  return { min: plus(left.min, right.min), max: plus(left.max, right.max) }
}

export function productOf(left: SizeRange, right: SizeRange): SizeRange {
  return { min: times(left.min, right.min), max: times(left.max, right.max) }
}

export function unionOf(left: SizeRange, right: SizeRange): SizeRange {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) }
}
