// How do the operator's resources read at a glance? One line each, whatever its kind; and of a later list only what differs from
// the one before. Pure.
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import type { Resource } from '../../object/resource.ts'

/** What is looked at of a resource, as the server gives it: of each kind its own. */
export interface ListedResource {
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly generation: number
    /** RFC 3339. */
    readonly creationTimestamp: string
  }
  readonly spec: {
    readonly replicas?: number
    readonly databases?: readonly { readonly name: string }[]
    readonly schedule?: string
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly databaseName?: string
    readonly serverVersion?: string
    readonly groupRole?: string
    readonly access?: string
    readonly progress?: string
    readonly artifact?: { readonly bytes: number }
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
  /** Ready=True, and said of the newest spec. */
  readonly isReady: boolean
  /** Milliseconds since the epoch. */
  readonly createdMs: number
}

export interface ShownKind {
  readonly resource: Resource
  readonly shortName: string
  readonly detail: (listed: ListedResource) => string
}

/** In the order in which they are shown. */
export const shownKinds: readonly ShownKind[] = [
  {
    resource: ReplicatedKVStore,
    shortName: 'kv',
    detail: ({ spec, status }) => `${status?.readyReplicas ?? 0} of ${spec.replicas} replicas`,
  },
  {
    resource: Database,
    shortName: 'db',
    detail: ({ status }) => (status?.serverVersion === undefined ? '' : `PostgreSQL ${status.serverVersion}`),
  },
  {
    resource: DatabaseUser,
    shortName: 'dbu',
    detail: ({ spec, status }) =>
      [status?.access, spec.databases?.map(({ name }) => name).join(', ')].filter(Boolean).join(' on '),
  },
  {
    resource: Migration,
    shortName: 'mig',
    detail: ({ status }) => (status?.progress === undefined ? '' : `${status.progress} steps`),
  },
  {
    resource: Backup,
    shortName: 'bak',
    detail: ({ spec, status }) =>
      spec.schedule ?? (status?.artifact === undefined ? '' : `${status.artifact.bytes} bytes`),
  },
]

export function rowOf({ shortName, detail }: ShownKind, listed: ListedResource): ResourceRow {
  const { metadata, status } = listed
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  return {
    kind: shortName,
    resource: `${shortName} ${metadata.namespace}/${metadata.name}`,
    detail: detail(listed),
    status: condition?.reason ?? '-',
    isReady: condition?.status === 'True' && status?.observedGeneration === metadata.generation,
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
  return columns.map(({ width, cell }) => cell(row, nowMs).padEnd(width)).join('  ')
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
