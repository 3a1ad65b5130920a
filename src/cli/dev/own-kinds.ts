// Kinds of konverge's own operator in the table of `konverge dev`. Pure.
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import { ReplicatedKVStore } from '../../../imports/wire/replicated-kv-store.ts'
import type { Resource } from '../../object/resource.ts'
import type { ListedResource, ShownKind } from './resource-table.ts'

/** Fields of konverge's kinds that the table shows, besides those of every kind. */
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

/** Kinds in the order of the table. */
export const shownKinds: readonly ShownKind[] = ownKinds.map(({ detail, ...kind }) => ({
  ...kind,
  // Sound: by the schemas in crds/.
  detail: (listed) => detail(listed as OwnResource),
}))
