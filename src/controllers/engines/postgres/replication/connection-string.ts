// libpq connection string with which the target connects to the source. Every value is quoted, and no setting is left
// to the environment or files of the target's server. Pure.
import type { PublisherAddress } from '../../replication.ts'

export interface ConnectionParts {
  readonly source: PublisherAddress
  readonly database: string
  readonly username: string
  /** Major version of the target. */
  readonly majorVersion: number
}

export function connectionString({ source, database, username, majorVersion }: ConnectionParts): string {
  const { host, port, tls, password } = source
  return textOf({
    ...{ host, port: String(port), dbname: database, user: username, password, ...securityOf(tls) },
    ...{
      passfile: '/dev/null',
      connect_timeout: '10',
      keepalives_idle: '10',
      keepalives_interval: '5',
      keepalives_count: '3',
    },
    // Without it, a hostile server at this address could request the password in clear text, or none.
    ...(majorVersion >= 16 ? { require_auth: 'scram-sha-256' } : {}),
  })
}

function securityOf(tls: PublisherAddress['tls']): Readonly<Record<string, string>> {
  return tls === 'bound' ? { sslmode: 'require', channel_binding: 'require' } : { sslmode: tls }
}

/** Fails immediately and without network. Has a password, which servers require of all roles except superusers. */
export const nowhere = textOf({ host: '/nonexistent', password: 'none', connect_timeout: '2' })

function textOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}='${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
    .join(' ')
}
