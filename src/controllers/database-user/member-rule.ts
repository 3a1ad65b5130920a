// Which roles may a user be a member of? None that reaches beyond databases into the whole server: what begins with pg_ is refused
// but for the roles that only look at how the server does, so that one that a newer PostgreSQL brings is refused too. Pure.
// Source: PostgreSQL 18, "Predefined Roles".

const observing = new Set(['pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables'])

/** `rds_iam` is what logs in by AWS's own tokens. */
const ofProviders = /^(rds_(?!iam$)|rdsadmin$|cloudsql|azure_|alloydb)/

/** Does the role read the statements and settings of all databases of its server? */
export function isObserving(role: string): boolean {
  return observing.has(role)
}

/** Says why not, as the end of a sentence; undefined: it may. */
export function memberRejection(role: string): string | undefined {
  if (role.startsWith('pg_') && !observing.has(role)) {
    return `${role} reaches beyond the databases; of PostgreSQL's own roles only ${[...observing].join(', ')} can be given`
  }
  if (ofProviders.test(role)) return `${role} is one of the roles with which the server's provider manages it`
  return undefined
}
