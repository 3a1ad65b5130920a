// How does a list of stores read at a glance? One line a store, with the columns of `kubectl get kv`; and of a later list
// only what differs from the one before. Pure.

/** What is looked at of a ReplicatedKVStore, as the server gives it. */
export interface ListedStore {
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly generation: number
    /** RFC 3339. */
    readonly creationTimestamp: string
  }
  readonly spec: { readonly replicas: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  }
}

export interface StoreRow {
  /** `namespace/name`. */
  readonly store: string
  readonly desired: number
  readonly ready: number
  /** The reason of the Ready condition; a dash before there is one. */
  readonly status: string
  /** Ready=True, and said of the newest spec. */
  readonly isReady: boolean
  /** Milliseconds since the epoch. */
  readonly createdMs: number
}

export function rowOf({ metadata, spec, status }: ListedStore): StoreRow {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  return {
    store: `${metadata.namespace}/${metadata.name}`,
    desired: spec.replicas,
    ready: status?.readyReplicas ?? 0,
    status: condition?.reason ?? '-',
    isReady: condition?.status === 'True' && status?.observedGeneration === metadata.generation,
    createdMs: Date.parse(metadata.creationTimestamp),
  }
}

/** Widths that do not depend on the rows, so that lines written at different times stand below each other. */
const columns = [
  { title: 'STORE', width: 22, cell: ({ store }: StoreRow) => store },
  { title: 'DESIRED', width: 7, cell: ({ desired }: StoreRow) => String(desired) },
  { title: 'READY', width: 5, cell: ({ ready }: StoreRow) => String(ready) },
  { title: 'STATUS', width: 20, cell: ({ status }: StoreRow) => status },
  { title: 'AGE', width: 0, cell: ({ createdMs }: StoreRow, nowMs: number) => ageOf(nowMs - createdMs) },
]

export const tableHead = columns.map(({ title, width }) => title.padEnd(width)).join('  ')

export function tableLine(row: StoreRow, nowMs: number): string {
  return columns.map(({ width, cell }) => cell(row, nowMs).padEnd(width)).join('  ')
}

/** The rows that are new or differ in more than their age, and those that are gone, with the status `Deleted`. */
export function changedRows(before: readonly StoreRow[], after: readonly StoreRow[]): readonly StoreRow[] {
  const known = new Map(before.map((row) => [row.store, row]))
  const changed = after.filter((row) => !isSame(known.get(row.store), row))
  const remaining = new Set(after.map(({ store }) => store))
  const gone = before.filter(({ store }) => !remaining.has(store))
  return [...changed, ...gone.map((row) => ({ ...row, ready: 0, status: 'Deleted', isReady: false }))]
}

function isSame(before: StoreRow | undefined, after: StoreRow): boolean {
  return (
    before !== undefined &&
    before.createdMs === after.createdMs &&
    before.desired === after.desired &&
    before.ready === after.ready &&
    before.status === after.status
  )
}

/** As kubectl says it: two units while the second one matters. A clock that is behind the server's gives no age below 0. */
function ageOf(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1000))
  const minutes = Math.floor(seconds / 60)
  if (minutes < 2) return `${seconds}s`
  if (minutes < 10) return `${minutes}m${seconds % 60 === 0 ? '' : `${seconds % 60}s`}`
  if (minutes < 180) return `${minutes}m`
  return `${Math.floor(minutes / 60)}h`
}
