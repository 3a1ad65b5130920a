// How is one of PostgreSQL's own programs told where to go and as whom? By variables, never by arguments: those everybody on a machine can
// read (I11). Nothing else of the environment reaches it. Pure.
import type { ServerAccess } from '../../server-access.ts'
import { keepaliveOptions } from '../keepalive-options.ts'

export interface LibpqTarget {
  readonly access: ServerAccess
  readonly database: string
  readonly applicationName: string
  /** A file with the authorities that `access` trusts; needed where certificates are checked. */
  readonly caFile: string | undefined
}

export function libpqEnvironment({ access, database, applicationName, caFile }: LibpqTarget): Record<string, string> {
  const { host, port, dial, username, password, tls } = access
  return {
    LC_ALL: 'C',
    TZ: 'UTC',
    // The name that the certificate has to show; where to go is said apart from it.
    PGHOST: host,
    ...(dial === undefined ? {} : { PGHOSTADDR: dial.host }),
    PGPORT: String(dial?.port ?? port),
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGSSLMODE: tls,
    // From PostgreSQL 16 on: neither clear text nor MD5 (I11). Older programs ignore it, after a session of ours was let in by SCRAM.
    PGREQUIREAUTH: 'scram-sha-256,none',
    ...(caFile === undefined ? {} : { PGSSLROOTCERT: caFile }),
    PGGSSENCMODE: 'disable',
    PGCONNECT_TIMEOUT: '10',
    PGAPPNAME: applicationName,
    PGCLIENTENCODING: 'UTF8',
    PGOPTIONS: options.join(' '),
  }
}

// The role and the database may have settings of their own, which must not change what is read, or for how long.
const options = [
  '-c role=none',
  '-c statement_timeout=0',
  '-c idle_in_transaction_session_timeout=0',
  '-c client_connection_check_interval=5s',
  ...keepaliveOptions,
]

/** A database by its name alone: without this, a name could say where to go. */
export function databaseArgument(database: string): string {
  return `--dbname=dbname='${database.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
