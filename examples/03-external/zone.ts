// What does a zone look like to those who keep records in it? A place outside the cluster that answers at once, or not at all.

/** What stands in the zone under one hostname. */
export interface ZoneEntry {
  readonly address: string
  /** The uid of the resource that it belongs to, and the generation that wrote it. */
  readonly owner: { readonly uid: string; readonly generation: number } | undefined
}

/** Rejects with an Error whose `code` is that of the system: `EACCES`. */
export interface Zone {
  /** Where it is, for people and metrics. */
  readonly name: string
  /** Undefined: there certainly is none. */
  read(hostname: string): Promise<ZoneEntry | undefined>
  /** Rejects with code `EEXIST` if `isNew` and there is one. */
  write(hostname: string, entry: ZoneEntry, options: { readonly isNew: boolean }): Promise<void>
  /** None there is no failure. */
  remove(hostname: string): Promise<void>
}
