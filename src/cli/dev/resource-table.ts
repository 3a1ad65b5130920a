// Table of the operator's resources: one line each, for any kind. A later table contains only the changed lines. Pure.
import { terminalLine } from '../../base/terminal-text.ts'
import type { Resource } from '../../object/resource.ts'

/** Fields that the table shows, as the server returns them; each kind has more. */
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
  /** Short kind, namespace and name: `kv shop/cart`. */
  readonly resource: string
  /** Summary that depends on the kind. */
  readonly detail: string
  /** Reason of the Ready condition; a dash if there is none yet. */
  readonly status: string
  /** Ready=True for the latest generation; for a kind without a status: the resource exists. */
  readonly isReady: boolean
  /** Milliseconds since the epoch. */
  readonly createdMs: number
}

export interface ShownKind {
  readonly resource: Resource
  readonly shortName: string
  /** The controller writes a status. Default: true. */
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

/** Fixed widths, so that lines of different times align. */
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

/** Returns new rows, rows that differ in more than their age, and removed rows with the status `Deleted`. */
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

/**
 * Formats an age as kubectl does: two units while the second one matters. If the local clock is behind the server's,
 * the age is 0.
 */
function ageOf(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1000))
  const minutes = Math.floor(seconds / 60)
  if (minutes < 2) return `${seconds}s`
  if (minutes < 10) return `${minutes}m${seconds % 60 === 0 ? '' : `${seconds % 60}s`}`
  if (minutes < 180) return `${minutes}m`
  return `${Math.floor(minutes / 60)}h`
}
