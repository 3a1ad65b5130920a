// Roles that a user may be a member of: none with rights beyond its databases. Names with `pg_` are rejected, except
// roles that only monitor the server. The rule thereby also rejects roles that a newer PostgreSQL adds. Pure.
// Source: PostgreSQL 18, "Predefined Roles".

const observing = new Set(['pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables'])

/** `rds_iam` is allowed: it enables login with AWS's own tokens. */
const ofProviders = /^(rds_(?!iam$)|rdsadmin$|cloudsql|azure_|alloydb)/

/** Returns whether the role can read statements and settings of all databases of its server. */
export function isObserving(role: string): boolean {
  return observing.has(role)
}

/** Returns the reason of a rejection, as the end of a sentence; undefined if membership is allowed. */
export function memberRejection(role: string): string | undefined {
  if (role.startsWith('pg_') && !observing.has(role)) {
    return `${role} reaches beyond the databases; of PostgreSQL's own roles only ${[...observing].join(', ')} can be given`
  }
  if (ofProviders.test(role)) return `${role} is one of the roles with which the server's provider manages it`
  return undefined
}
