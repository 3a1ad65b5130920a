// Contents of a database in a comparable form, as plain values. Invariant: one snapshot contains all of them. They are
// row counts and hashes of tables, positions of sequences, extensions, and object counts by kind.

/** Hash function of rows. Older backups without this field used `md5`, which reads rows 1.5 times as long. */
export type RowHash = 'md5' | 'hashtextextended'

export interface DatabaseContents {
  /** Default: `md5`. */
  readonly rowHash?: RowHash
  /** Sorted by schema and name. */
  readonly tables: readonly TableContents[]
  readonly sequences: readonly SequenceContents[]
  readonly extensions: readonly { readonly name: string; readonly version: string; readonly schema: string }[]
  /** Number of large objects, which belong to no table. */
  readonly largeObjects: string
  /** Object counts by kind: `views`, `indexes`, `constraints`, `functions`, `triggers`, `types`, `policies`. */
  readonly objects: Readonly<Record<string, number>>
}

/** Counts are decimal strings, because they can exceed the range of a JavaScript number. */
export interface TableContents {
  readonly schema: string
  readonly name: string
  /** `''`: not counted. */
  readonly rows: string
  /** Hash of all rows, independent of their order. Null: rows were only counted. */
  readonly hash: string | null
}

export interface SequenceContents {
  readonly schema: string
  readonly name: string
  /** Null: the sequence has not returned a value yet. */
  readonly lastValue: string | null
  readonly increment: string
  readonly cycles: boolean
}
