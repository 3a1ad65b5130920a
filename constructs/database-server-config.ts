// How is the server configured? The texts of postgresql.conf and pg_hba.conf. What the operator has to rely on, the server gets by its
// command line, which wins over both the file and ALTER SYSTEM. Same settings, same bytes.

/** Names that are refused in `parameters`, and beginnings of names. The CRD refuses the same, with a sentence for each group. */
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

/** A setting's name, that of an extension's too: `pg_stat_statements.max`. Names in capitals mean the same ones. */
const settingName = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/

/** Why a setting cannot be given, in one sentence; undefined where it can. */
export function refusedParameter(name: string): string | undefined {
  if (!settingName.test(name)) return `'${name}' is no name of a setting; use small letters, digits and '_'`
  const isKept = keptNames.has(name) || keptBeginnings.some((beginning) => name.startsWith(beginning))
  return isKept ? `the setting ${name} is kept by the operator; leave it out` : undefined
}

/** Settings in the order of their names; of two of one name the last would win, so ours come at the end. */
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
 * Whoever comes by the network speaks TLS and proves a password; so does who comes by the socket, which is the image's own script at the
 * first start.
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
