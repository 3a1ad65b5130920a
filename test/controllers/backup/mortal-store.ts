// Fault injection into a worker with a store: before and after each operation, and at each piece that it stores.
import { systemClock } from '../../../src/base/clock.ts'
import type {
  ArtifactStore,
  FoundArtifact,
  PutCall,
  StoredArtifact,
} from '../../../src/controllers/stores/artifact-store.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { S3Store, type S3StoreOptions } from '../../../src/controllers/stores/s3-store-driver.ts'

/** Input of a process: `dieAt` is the step at which the process kills itself. */
export type MortalStoreOptions =
  | { readonly folder: string; readonly dieAt: number | undefined }
  | { readonly s3: Omit<S3StoreOptions, 'clock'> }

export function mortalStore(options: MortalStoreOptions, attempt: string, die: () => void): ArtifactStore {
  if ('s3' in options) return new S3Store({ ...options.s3, clock: systemClock })
  const { folder, dieAt } = options
  return new MortalStore(new FolderStore({ folder, attempt }), (step) => {
    if (step === dieAt) die()
  })
}

export class MortalStore implements ArtifactStore {
  readonly place: string
  /** Name of a step: `put`, `put, a piece`, `after put`. */
  readonly steps: string[] = []
  readonly #store: ArtifactStore
  readonly #onStep: (number: number) => void

  /** `onStep` gets the number of each step, from 1, when it is reached; its errors are thrown there. */
  constructor(store: ArtifactStore, onStep: (number: number) => void = () => undefined) {
    this.place = store.place
    this.#store = store
    this.#onStep = onStep
  }

  put(key: string, content: AsyncIterable<Uint8Array>, call: PutCall): Promise<StoredArtifact> {
    return this.#around('put', () => this.#store.put(key, this.#inPieces(content), call))
  }

  find(key: string, signal: AbortSignal): Promise<FoundArtifact | undefined> {
    return this.#around('find', () => this.#store.find(key, signal))
  }

  delete(key: string, signal: AbortSignal): Promise<void> {
    return this.#around('delete', () => this.#store.delete(key, signal))
  }

  sweep(prefix: string, signal: AbortSignal): Promise<number> {
    return this.#around('sweep', () => this.#store.sweep(prefix, signal))
  }

  async *read(key: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    this.#reach('read')
    yield* this.#store.read(key, signal)
  }

  async *list(prefix: string, signal: AbortSignal): AsyncIterable<FoundArtifact> {
    this.#reach('list')
    yield* this.#store.list(prefix, signal)
  }

  async *#inPieces(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of content) {
      this.#reach('put, a piece')
      yield piece
    }
  }

  async #around<T>(name: string, operation: () => Promise<T>): Promise<T> {
    this.#reach(name)
    const result = await operation()
    this.#reach(`after ${name}`)
    return result
  }

  #reach(step: string): void {
    this.#onStep(this.steps.push(step))
  }
}
