// Proxy that records whether its object was read. Invariant: the reader sees the properties of the object.

export interface TrackedReads<T> {
  readonly view: T
  /** Returns whether a property was read, except the exempt ones. */
  isRead(): boolean
}

export function trackedReads<T extends object>(
  target: T,
  { exempt = [] }: { readonly exempt?: readonly PropertyKey[] } = {},
): TrackedReads<T> {
  let isRead = false
  const note = (key?: PropertyKey) => {
    if (key === undefined || !exempt.includes(key)) isRead = true
  }
  const view = new Proxy(target, {
    get(from, key, receiver) {
      note(key)
      return Reflect.get(from, key, receiver)
    },
    has(from, key) {
      note(key)
      return Reflect.has(from, key)
    },
    ownKeys(from) {
      note()
      return Reflect.ownKeys(from)
    },
  })
  return { view, isRead: () => isRead }
}
