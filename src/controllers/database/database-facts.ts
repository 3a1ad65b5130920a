// Facts about the cluster that a database's desired state depends on, as small JSON values. Invariant: only Kubernetes
// objects, no data of the server.
import type { InvalidSpec } from '../../index.ts'
import type { BackedUp } from './backed-up.ts'
import type { FinalBackup } from './final-backup.ts'
import type { RdsFacts } from './rds/instance-facts.ts'
import type { RestoreFacts } from './restore/restore-facts.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ServerSecrets } from './server-secrets.ts'
import type { ServerSides } from './server-sides.ts'
import type { ServerVolume } from './server-volume.ts'
import type { MoveFacts } from './upgrade/move-facts.ts'

export interface DatabaseFacts {
  readonly connection: ServerConnection
  /** Credentials and certificate of a server in the cluster. Absent for an external server. */
  readonly serverSecrets?: ServerSecrets
  /** Volume of that server. Absent for an external server. */
  readonly serverVolume?: ServerVolume
  /** Servers in the cluster. Absent for an external server. */
  readonly sides?: ServerSides
  /** Volume of the server that applications do not use. */
  readonly beside?: { readonly volume: ServerVolume; readonly templateSize: string | undefined }
  /** State of the move to another server. Absent without a move. */
  readonly move?: MoveFacts
  /** Resources that block the start of a move. Absent if no move is due, or if none blocks it. */
  readonly others?: {
    readonly names: readonly string[]
    readonly unserved: readonly string[]
    readonly lookAgainAtMs: number
  }
  /** Images of servers whose version differs from the spec's, by the name of their StatefulSet. */
  readonly images?: Readonly<Record<string, string>>
  /** Desired RDS instance. Absent for other providers. */
  readonly rds?: RdsFacts
  /** State of the restore. Absent if there never was one. */
  readonly restore?: RestoreFacts
  /** State of its Backups. */
  readonly backedUp?: BackedUp
  /** Rejection of its server by the operator's policy. */
  readonly rejection?: InvalidSpec
  /** Invalid configuration, as far as the cluster's objects show it. */
  readonly refusal?: InvalidSpec
  /** Namespaces whose users may have rights in it. Read only while the Database is not being deleted. */
  readonly consents?: readonly string[]
  /** DatabaseUsers that may use the database, as `namespace/name`. Read only while the Database is being deleted. */
  readonly users: readonly string[]
  /** The server has to be applied once more before its deletion. */
  readonly isServerUnsettled?: boolean
  /** State of the final backup that deletion waits for. Absent if none is required. */
  readonly finalBackup?: FinalBackup
}
