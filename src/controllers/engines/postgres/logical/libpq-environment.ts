// Connection settings of PostgreSQL programs, as environment variables. Invariant: no setting is an argument, which
// every user of the machine can read (I11), and the program inherits no other variable. Pure.
import type { ServerAccess } from '../../server-access.ts'
import { keepaliveOptions } from '../keepalive-options.ts'

export interface LibpqTarget {
  readonly access: ServerAccess
  readonly database: string
  readonly applicationName: string
  /** File with the CAs that `access` trusts. Required where certificates are checked. */
  readonly caFile: string | undefined
}

export function libpqEnvironment({ access, database, applicationName, caFile }: LibpqTarget): Record<string, string> {
  const { host, port, dial, username, password, tls } = access
  return {
    LC_ALL: 'C',
    TZ: 'UTC',
    // Host name that the certificate has to match. PGHOSTADDR is the address.
    PGHOST: host,
    ...(dial === undefined ? {} : { PGHOSTADDR: dial.host }),
    PGPORT: String(dial?.port ?? port),
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGSSLMODE: tls,
    // From PostgreSQL 16 on: neither clear text nor MD5 (I11). Older programs ignore it; the operator's own session has
    // used SCRAM before.
    PGREQUIREAUTH: 'scram-sha-256,none',
    ...(caFile === undefined ? {} : { PGSSLROOTCERT: caFile }),
    PGGSSENCMODE: 'disable',
    PGCONNECT_TIMEOUT: '10',
    PGAPPNAME: applicationName,
    PGCLIENTENCODING: 'UTF8',
    PGOPTIONS: options.join(' '),
  }
}

// The role and the database may have settings of their own, which must not change the result or the time limits.
const options = [
  '-c role=none',
  '-c statement_timeout=0',
  '-c idle_in_transaction_session_timeout=0',
  '-c client_connection_check_interval=5s',
  ...keepaliveOptions,
]

/**
 * Returns the argument for a database name. Escaped, because libpq would interpret a plain name as a connection string.
 */
export function databaseArgument(database: string): string {
  return `--dbname=dbname='${database.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
