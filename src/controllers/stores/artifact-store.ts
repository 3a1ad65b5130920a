// Port of artifact stores. A store holds files under keys. Large files are streamed, with a few megabytes in memory at
// a time.
// Invariant: a key has a complete file or none. Every method may reject with a StoreError.

export interface ArtifactStore {
  /** Name in messages: `s3://backups/prod`, `/backups`. */
  readonly place: string
  /**
   * Stores the content under this key. If it rejects, or the process dies, the key has no file; it rejects with the
   * error of the content's stream. With `ifAbsent`, it rejects with AlreadyStored if the key exists, and leaves that
   * file unchanged.
   */
  put(key: string, content: AsyncIterable<Uint8Array>, call: PutCall): Promise<StoredArtifact>
  /** Throws NotStored while it is read, if the key does not exist. */
  read(key: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Undefined if the key does not exist. */
  find(key: string, signal: AbortSignal): Promise<FoundArtifact | undefined>
  /** All files whose keys start with the prefix, sorted by key. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<FoundArtifact>
  /** Succeeds if the key does not exist. */
  delete(key: string, signal: AbortSignal): Promise<void>
  /** Removes leftovers of interrupted puts under this prefix and returns their number. Do not call it during a put. */
  sweep(prefix: string, signal: AbortSignal): Promise<number>
}

export interface PutCall {
  readonly signal: AbortSignal
  readonly ifAbsent?: true
  /** Approximate size, if known. A store that uploads in parts derives their size from it. */
  readonly expectedBytes?: number | undefined
}

/** Size and checksum of the content, computed while it is stored. */
export interface StoredArtifact {
  readonly sizeBytes: number
  /** Hexadecimal SHA-256. */
  readonly sha256: string
}

export interface FoundArtifact {
  readonly key: string
  readonly sizeBytes: number
}
