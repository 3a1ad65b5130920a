// Cache of reviews, by namespace and digest of the steps, so that the same steps are reviewed once. Invariant: bounded
// in size; the namespace with the largest share loses its reviews first. Pure.
import type { StepReview } from '../../step-review.ts'

/** Characters of all reviews together. Most have no findings. */
const mostCharacters = 8_388_608
const overhead = 500

interface Remembered {
  readonly review: StepReview
  readonly size: number
}

class NamespaceMemory {
  readonly reviews = new Map<string, Remembered>()
  size = 0
}

export class ReviewMemory {
  readonly #most: number
  readonly #namespaces = new Map<string, NamespaceMemory>()
  #size = 0

  constructor(most = mostCharacters) {
    this.#most = most
  }

  find(namespace: string, digest: string): StepReview | undefined {
    return this.#namespaces.get(namespace)?.reviews.get(digest)?.review
  }

  forget(namespace: string, digest: string): void {
    const memory = this.#namespaces.get(namespace)
    const size = memory?.reviews.get(digest)?.size
    if (memory === undefined || size === undefined) return
    memory.reviews.delete(digest)
    memory.size -= size
    this.#size -= size
    if (memory.reviews.size === 0) this.#namespaces.delete(namespace)
  }

  keep(namespace: string, digest: string, review: StepReview): void {
    this.forget(namespace, digest)
    const memory = this.#namespaces.get(namespace) ?? new NamespaceMemory()
    this.#namespaces.set(namespace, memory)
    const size = JSON.stringify(review).length + overhead
    memory.reviews.set(digest, { review, size })
    memory.size += size
    this.#size += size
    while (this.#size > this.#most) this.#forgetOldest()
  }

  /** Removes the oldest review of the namespace with the largest share. */
  #forgetOldest(): void {
    const [largest] = [...this.#namespaces].toSorted(([, left], [, right]) => right.size - left.size)
    const [oldest] = largest?.[1].reviews.keys() ?? []
    if (largest !== undefined && oldest !== undefined) this.forget(largest[0], oldest)
  }
}
