// What must be known of the cluster before a database can be made or judged? Small JSON facts, of Kubernetes alone: nothing of the
// server is in them.
import type { Refusal } from '../../index.ts'
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
  /** What the Secrets of a server in the cluster hold; absent for one that is elsewhere. */
  readonly serverSecrets?: ServerSecrets
  /** What that server keeps its data on; absent for one that is elsewhere. */
  readonly serverVolume?: ServerVolume
  /** Which servers in the cluster there are; absent for one that is elsewhere. */
  readonly sides?: ServerSides
  /** What is there of the one that applications are not led to. */
  readonly beside?: { readonly volume: ServerVolume; readonly templateSize: string | undefined }
  /** What is done for its move to another server; absent while there is none. */
  readonly move?: MoveFacts
  /** Who keeps a move from beginning; absent where none is to begin, or nobody does. */
  readonly others?: {
    readonly names: readonly string[]
    readonly unserved: readonly string[]
    readonly lookAgainAtMs: number
  }
  /** What servers of another version than the spec's run, by the names of their StatefulSets. */
  readonly images?: Readonly<Record<string, string>>
  /** What an instance of RDS is asked for with; absent for other providers. */
  readonly rds?: RdsFacts
  /** Of what is restored, or was; absent where nothing ever was. */
  readonly restore?: RestoreFacts
  /** Whether a Backup saves it, as the Backups say. */
  readonly backedUp?: BackedUp
  /** What the operator's rules do not allow of its server. */
  readonly rejection?: Refusal
  /** What cannot work, as far as the cluster shows it. */
  readonly refusal?: Refusal
  /** Namespaces whose users may have rights in it; asked only while it is to stay. */
  readonly consents?: readonly string[]
  /** DatabaseUsers that may use the database, as `namespace/name`; asked only once it is to go. */
  readonly users: readonly string[]
  /** Its server is to be declared once more before it goes. */
  readonly isServerUnsettled?: boolean
  /** How it stands with the backup without which it is not to go; absent where none is asked for. */
  readonly finalBackup?: FinalBackup
}
