// Where are artifacts kept? In a store behind this port: files under keys, each there as a whole or not at all. What is large goes in and
// out as a stream, of which a store holds a few megabytes at a time. Every method may reject with a StoreError.

export interface ArtifactStore {
  /** For people: `s3://backups/prod`, `/backups`. */
  readonly place: string
  /**
   * Stores what comes, under this key. When it rejects, or the process dies, nothing is under the key; what a stream throws is what it
   * rejects with. With `ifAbsent`, rejects with AlreadyStored where the key is taken, and leaves it as it is.
   */
  put(key: string, content: AsyncIterable<Uint8Array>, call: PutCall): Promise<StoredArtifact>
  /** Fails with NotStored when it is read, if it is not there. */
  read(key: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Undefined if it is not there. */
  find(key: string, signal: AbortSignal): Promise<FoundArtifact | undefined>
  /** All whose key begins so, in the order of keys. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<FoundArtifact>
  /** No failure if it is not there. */
  delete(key: string, signal: AbortSignal): Promise<void>
  /** Removes what broken puts under this prefix have left, and says how many there were. Not while somebody puts there. */
  sweep(prefix: string, signal: AbortSignal): Promise<number>
}

export interface PutCall {
  readonly signal: AbortSignal
  readonly ifAbsent?: true
  /** About how much will come, where that is known: a store that takes large files in pieces chooses their size by it. */
  readonly expectedBytes?: number | undefined
}

/** What was sent, counted and hashed on its way. */
export interface StoredArtifact {
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface FoundArtifact {
  readonly key: string
  readonly sizeBytes: number
}
