// An object that tells whether it was read. Invariant: its reader sees what the object itself has.

export interface TrackedReads<T> {
  readonly view: T
  /** Was any property read, but for the exempt ones? */
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
