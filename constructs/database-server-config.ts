// Configuration of a database server: the texts of postgresql.conf and pg_hba.conf. Settings that the operator relies
// on are on the command line, which wins over the file and over ALTER SYSTEM. Invariant: same settings, same bytes.

/**
 * Names and prefixes that `parameters` must not contain. The CRD rejects the same ones, with a sentence for each group.
 */
const keptNames: ReadonlySet<string> = new Set([
  ...['config_file', 'data_directory', 'external_pid_file', 'hba_file', 'ident_file'],
  ...['listen_addresses', 'port', 'password_encryption', 'db_user_namespace'],
  ...['restore_command', 'promote_trigger_file', 'synchronous_standby_names'],
  ...['event_source', 'log_destination', 'logging_collector'],
])
const keptBeginnings: readonly string[] = [
  ...['unix_socket_', 'bonjour', 'ssl', 'krb_'],
  ...['archive_', 'recovery_', 'primary_', 'syslog_', 'include'],
]

/** Name of a setting, also of an extension: `pg_stat_statements.max`. PostgreSQL ignores case. */
const settingName = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/

/**
 * Returns the reason why `parameters` must not contain a setting, in one sentence; undefined if it may.
 *
 * @example refusedParameter('data_directory')
 */
export function refusedParameter(name: string): string | undefined {
  if (!settingName.test(name)) return `'${name}' is no name of a setting; use small letters, digits and '_'`
  const isKept = keptNames.has(name) || keptBeginnings.some((beginning) => name.startsWith(beginning))
  return isKept ? `the setting ${name} is kept by the operator; leave it out` : undefined
}

/** Sorts settings by name. The last of two settings with one name wins, so those of the construct come at the end. */
export function postgresqlConf(
  parameters: Readonly<Record<string, number | string>>,
  { canBeFollowed }: { readonly canBeFollowed: boolean },
): string {
  const wished = { ...(canBeFollowed ? { wal_level: 'logical' } : {}), ...parameters }
  const own = Object.entries(wished).toSorted(([left], [right]) => (left < right ? -1 : 1))
  const kept = [
    ['listen_addresses', '*'],
    ['password_encryption', 'scram-sha-256'],
  ] as const
  return [...own, ...kept].map(([name, value]) => `${name} = ${quoted(String(value))}\n`).join('')
}

/**
 * Network clients need TLS and a password. Socket clients need a password; the only one is the image's own script at
 * the first start.
 */
export const pgHbaConf = [
  '# TYPE     DATABASE     USER  ADDRESS  METHOD',
  'local      all          all            scram-sha-256',
  'hostssl    all          all   all      scram-sha-256',
  'hostssl    replication  all   all      scram-sha-256',
  'hostnossl  all          all   all      reject',
  '',
].join('\n')

/** Source: guc-file.l: within quotes, two quotes are one and a backslash escapes; a line ends the value. */
function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n')}'`
}
