// How do the operator's resources read at a glance? One line each, whatever its kind; and of a later list only what differs from
// the one before. Pure.
import { terminalLine } from '../../base/terminal-text.ts'
import type { Resource } from '../../object/resource.ts'

/** What is looked at of a resource, as the server gives it: of each kind its own. */
export interface ListedResource {
  readonly metadata: {
    /** Absent: the kind is cluster-scoped. */
    readonly namespace?: string
    readonly name: string
    /** Absent for some kinds without a status. */
    readonly generation?: number
    /** RFC 3339. */
    readonly creationTimestamp: string
  }
  readonly spec?: unknown
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  }
}

export interface ResourceRow {
  /** The short name of its kind: `kv`. */
  readonly kind: string
  /** `kv shop/cart`: which one of which kind. */
  readonly resource: string
  /** What is worth knowing of one of its kind. */
  readonly detail: string
  /** The reason of the Ready condition; a dash before there is one. */
  readonly status: string
  /** Ready=True, and said of the newest spec; of a kind without a status: it exists. */
  readonly isReady: boolean
  /** Milliseconds since the epoch. */
  readonly createdMs: number
}

export interface ShownKind {
  readonly resource: Resource
  readonly shortName: string
  /** Does its controller write a status? Default: true. */
  readonly hasStatus?: boolean
  readonly detail: (listed: ListedResource) => string
}

export function rowOf({ shortName, hasStatus = true, detail }: ShownKind, listed: ListedResource): ResourceRow {
  const { metadata, status } = listed
  const { namespace, name, generation } = metadata
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  return {
    kind: shortName,
    resource: `${shortName} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    detail: detail(listed),
    status: condition?.reason ?? '-',
    isReady: !hasStatus || (condition?.status === 'True' && status?.observedGeneration === generation),
    createdMs: Date.parse(metadata.creationTimestamp),
  }
}

/** Widths that do not depend on the rows, so that lines written at different times stand below each other. */
const columns = [
  { title: 'RESOURCE', width: 25, cell: ({ resource }: ResourceRow) => resource },
  { title: 'DETAIL', width: 19, cell: ({ detail }: ResourceRow) => detail },
  { title: 'READY', width: 5, cell: ({ isReady }: ResourceRow) => (isReady ? 'True' : 'False') },
  { title: 'STATUS', width: 18, cell: ({ status }: ResourceRow) => status },
  { title: 'AGE', width: 0, cell: ({ createdMs }: ResourceRow, nowMs: number) => ageOf(nowMs - createdMs) },
]

export const tableHead = columns.map(({ title, width }) => title.padEnd(width)).join('  ')

export function tableLine(row: ResourceRow, nowMs: number): string {
  return columns.map(({ width, cell }) => terminalLine(cell(row, nowMs)).padEnd(width)).join('  ')
}

/** The rows that are new or differ in more than their age, and those that are gone, with the status `Deleted`. */
export function changedRows(before: readonly ResourceRow[], after: readonly ResourceRow[]): readonly ResourceRow[] {
  const known = new Map(before.map((row) => [row.resource, row]))
  const changed = after.filter((row) => !isSame(known.get(row.resource), row))
  const remaining = new Set(after.map(({ resource }) => resource))
  const gone = before.filter(({ resource }) => !remaining.has(resource))
  return [...changed, ...gone.map((row) => ({ ...row, detail: '', status: 'Deleted', isReady: false }))]
}

function isSame(before: ResourceRow | undefined, after: ResourceRow): boolean {
  return (
    before !== undefined &&
    before.createdMs === after.createdMs &&
    before.detail === after.detail &&
    before.isReady === after.isReady &&
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
