// What is in a database, so far as two can be compared? Plain values, read in one snapshot: of every table how many rows and what they
// hash to, where sequences stand, which extensions there are, and how many objects of every sort.

/** What rows hash to. Those that were saved before there was a choice were hashed by `md5`, which takes half as long again to read them. */
export type RowHash = 'md5' | 'hashtextextended'

export interface DatabaseContents {
  /** Default: `md5`. */
  readonly rowHash?: RowHash
  /** By schema and name. */
  readonly tables: readonly TableContents[]
  readonly sequences: readonly SequenceContents[]
  readonly extensions: readonly { readonly name: string; readonly version: string; readonly schema: string }[]
  /** Large objects, which are in no table. */
  readonly largeObjects: string
  /** How many there are: `views`, `indexes`, `constraints`, `functions`, `triggers`, `types`, `policies`. */
  readonly objects: Readonly<Record<string, number>>
}

/** Numbers that may be larger than a number can hold are decimal texts. */
export interface TableContents {
  readonly schema: string
  readonly name: string
  /** `''`: nobody counted them. */
  readonly rows: string
  /** Over all rows, in whatever order they are; null: they were only counted. */
  readonly hash: string | null
}

export interface SequenceContents {
  readonly schema: string
  readonly name: string
  /** Null: it has given no number yet. */
  readonly lastValue: string | null
  readonly increment: string
  readonly cycles: boolean
}
