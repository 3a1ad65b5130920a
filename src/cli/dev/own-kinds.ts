// The kinds of konverge's own operator, as the table of `konverge dev` shows them. Pure.
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import type { Resource } from '../../object/resource.ts'
import type { ListedResource, ShownKind } from './resource-table.ts'

/** What is looked at of a resource besides what every kind has. */
export interface OwnResource extends ListedResource {
  readonly spec: {
    readonly replicas?: number
    readonly databases?: readonly { readonly name: string }[]
    readonly schedule?: string
  }
  readonly status?: ListedResource['status'] & {
    readonly readyReplicas?: number
    readonly serverVersion?: string
    readonly access?: string
    readonly progress?: string
    readonly artifact?: { readonly bytes: number }
  }
}

interface OwnKind {
  readonly resource: Resource
  readonly shortName: string
  readonly detail: (listed: OwnResource) => string
}

const ownKinds: readonly OwnKind[] = [
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

/** In the order in which they are shown. */
export const shownKinds: readonly ShownKind[] = ownKinds.map(({ detail, ...kind }) => ({
  ...kind,
  // Sound: by the schemas in crds/.
  detail: (listed) => detail(listed as OwnResource),
}))
