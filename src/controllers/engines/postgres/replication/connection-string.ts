// With which words does a target's server find the source? libpq's, every value quoted, and nothing left to what the machine of that
// server has in its environment or files. Pure.
import type { PublisherAddress } from '../../replication.ts'

export interface ConnectionWords {
  readonly source: PublisherAddress
  readonly database: string
  readonly username: string
  /** Of the target. */
  readonly majorVersion: number
}

export function connectionString({ source, database, username, majorVersion }: ConnectionWords): string {
  const { host, port, tls, password } = source
  return said({
    ...{ host, port: String(port), dbname: database, user: username, password, ...securityOf(tls) },
    ...{
      passfile: '/dev/null',
      connect_timeout: '10',
      keepalives_idle: '10',
      keepalives_interval: '5',
      keepalives_count: '3',
    },
    // Else whoever answers at this address could ask for the password in clear text, or for none.
    ...(majorVersion >= 16 ? { require_auth: 'scram-sha-256' } : {}),
  })
}

function securityOf(tls: PublisherAddress['tls']): Readonly<Record<string, string>> {
  return tls === 'bound' ? { sslmode: 'require', channel_binding: 'require' } : { sslmode: tls }
}

/** Leads nowhere, at once and without a network, and has a password, which servers insist on for all but superusers. */
export const nowhere = said({ host: '/nonexistent', password: 'none', connect_timeout: '2' })

function said(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}='${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
    .join(' ')
}
