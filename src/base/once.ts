// Work that is done at most once, however many ask for its result.

export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined
  return () => {
    begun ??= work()
    return begun
  }
}
