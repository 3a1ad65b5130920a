// Random choice of a free number in a range. The upper part comes first; the lower part is reserved for explicit
// requests.
// Source: k8s.io/kubernetes/pkg/registry/core/service/{allocator/bitmap.go,ipallocator,portallocator}.

export interface NumberRange {
  readonly size: number
  /** Size of the reserved lower part. */
  readonly reserved: number
  /** Returns a random integer from 0 up to and excluding the limit. */
  below(limit: number): number
}

/** Returns the size of the reserved part: `size / step`, at least 16 and at most `most`. */
export function reservedOf(size: number, step: number, most: number): number {
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / step)), most)
}

/** Returns a free number, counted from 0; undefined if all are taken. */
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
