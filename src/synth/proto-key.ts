// Finds the key `__proto__` in declared values. The API server accepts it as data, but cdk8s loses it silently, because
// an assignment to it creates no field. Pure.

/** Deeper than any real object; wireJson rejects deeper values. */
const maxDepth = 100

/**
 * Returns the path to the first key `__proto__` of plain objects and lists, as `['data', '__proto__']`; undefined if
 * there is none. Linear in size.
 */
export function protoKeyIn(value: unknown, depth = 0): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || depth > maxDepth || !isPlain(value)) return undefined
  if (Object.hasOwn(value, '__proto__')) return ['__proto__']
  for (const [key, field] of Object.entries(value)) {
    const path = protoKeyIn(field, depth + 1)
    if (path !== undefined) return [key, ...path]
  }
  return undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
