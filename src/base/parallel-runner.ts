// Works on a list, a bounded number of items at once.

/**
 * Resolves when `work` has resolved for every item, started in order, at most `most` at once. After a rejection no
 * other item starts; rejects with it when the running ones have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const failed: unknown[] = []
  const lane = async () => {
    for (const item of left) {
      if (failed.length > 0) return
      try {
        await work(item)
      } catch (thrown) {
        failed.push(thrown)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane))
  if (failed.length > 0) throw failed[0]
}
