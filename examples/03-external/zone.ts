// Port to a zone: a system outside the cluster that answers at once, or not at all.

/** Content of the zone under one hostname. */
export interface ZoneEntry {
  readonly address: string
  /** UID of the resource that owns it, and the generation that wrote it. */
  readonly owner: { readonly uid: string; readonly generation: number } | undefined
}

/** Rejects with an Error whose `code` is that of the system: `EACCES`. */
export interface Zone {
  /** Name of the zone for people and metrics. */
  readonly name: string
  /** Undefined: the entry certainly does not exist. */
  read(hostname: string): Promise<ZoneEntry | undefined>
  /** Rejects with code `EEXIST` if `isNew` and an entry exists. */
  write(hostname: string, entry: ZoneEntry, options: { readonly isNew: boolean }): Promise<void>
  /** Succeeds if no entry exists. */
  remove(hostname: string): Promise<void>
}
