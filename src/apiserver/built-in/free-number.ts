// Which number is drawn from a range? Any free one of its upper part; only if there is none, one of the lower part, which is
// for those who ask for a number of their own.
// Source: k8s.io/kubernetes/pkg/registry/core/service/{allocator/bitmap.go,ipallocator,portallocator}.

export interface NumberRange {
  readonly size: number
  /** Where the upper part begins. */
  readonly reserved: number
  /** A whole number from 0 up to the limit, without it. */
  below(limit: number): number
}

/** How much of a range is kept for those who ask: a part of it, but no less than 16 nor more than `most`. */
export function reservedOf(size: number, step: number, most: number): number {
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / step)), most)
}

/** From 0; nothing if all are taken. */
export function freeNumber(range: NumberRange, isTaken: (number: number) => boolean): number | undefined {
  const { size, reserved, below } = range
  return firstFree(reserved, size - reserved, below, isTaken) ?? firstFree(0, reserved, below, isTaken)
}

function firstFree(
  from: number,
  count: number,
  below: (limit: number) => number,
  isTaken: (number: number) => boolean,
): number | undefined {
  if (count <= 0) return undefined
  const start = below(count)
  for (let step = 0; step < count; step++) {
    const number = from + ((start + step) % count)
    if (!isTaken(number)) return number
  }
  return undefined
}
