// Observation of a server: one statement with a JSON answer about the server and the requested objects. It takes no
// locks and reads only catalogs. Invariant: no login and no owner of a database can make the answer longer than the
// operator reads. An operator that cannot observe cannot revoke their rights either. The statement truncates each text
// that they choose, and limits each list.
import type { ServerQuestion } from '../engine.ts'
import { EngineError } from '../engine-error.ts'
import type {
  DatabaseHolder,
  Membership,
  ObservedDatabase,
  ObservedRole,
  RolePower,
  ServerObservation,
} from '../observed-server.ts'
import { successionIn, tokenIn } from './mark.ts'
import { settingIn } from './role-setting.ts'
import type { SessionFacts } from './session-facts.ts'

/** Statement with one JSON answer, in the column `answer`. */
export interface JsonQuestion {
  readonly text: string
  readonly values: readonly string[]
}

export function serverQuestion({ databases = [], roles = [] }: ServerQuestion, facts: SessionFacts): JsonQuestion {
  // Only superusers may read verifiers, and a server checks that for a whole statement before it runs.
  const asksVerifiers = facts.isSuperuser && roles.some(({ verifier }) => verifier !== undefined)
  const text = `pg_catalog.jsonb_build_object(
    'server', ${serverJson},
    'databases', (SELECT pg_catalog.jsonb_agg(${databaseJson} ORDER BY d.datname)
      FROM pg_catalog.pg_database d WHERE d.datname = ANY (${namesOf('$1')})),
    'roles', (SELECT pg_catalog.jsonb_agg(${roleJson(facts.majorVersion, asksVerifiers)} ORDER BY r.rolname)
      FROM pg_catalog.pg_roles r WHERE r.rolname = ANY (${namesOf('$2')})))`
  return { text, values: [JSON.stringify(databases), JSON.stringify(roles.map(({ name }) => name))] }
}

/** Reads the names in a parameter that is a JSON list. */
export function namesOf(parameter: string): string {
  return `ARRAY(SELECT pg_catalog.jsonb_array_elements_text(${parameter}::pg_catalog.jsonb))::pg_catalog.name[]`
}

/** Client sessions in pg_stat_activity. An admin with few rights does not see the type of other roles' sessions. */
export const clientSession = `a.datid IS NOT NULL AND a.usesysid IS NOT NULL
  AND COALESCE(a.backend_type, 'client backend') = 'client backend'`

/**
 * Excludes sessions of this operator, which come and go. Includes sessions without a role, whose comparison is null.
 */
export const notOurs = "(a.usename = current_user AND a.application_name LIKE 'konverge/%') IS NOT TRUE"

/** Client sessions except those of this operator. */
export const foreignSession = `${clientSession} AND ${notOurs}`

/**
 * Sessions of a managed role that may no longer connect to their database, because CONNECT was revoked meanwhile.
 * Includes WAL senders.
 */
export const lockedOutSession = `a.datid IS NOT NULL AND a.usesysid IS NOT NULL
  AND pg_catalog.shobj_description(a.usesysid, 'pg_authid') LIKE 'konverge {%'
  AND NOT pg_catalog.has_database_privilege(a.usesysid, a.datid, 'CONNECT')`

/** Bytes. Ownership markers are shorter; a longer comment is not a marker. */
const longestMark = 8_192

const commentJson = (oid: string, catalog: 'pg_database' | 'pg_authid') =>
  `(SELECT CASE WHEN pg_catalog.octet_length(c) <= ${longestMark} THEN c END FROM pg_catalog.shobj_description(${oid}, '${catalog}') c)`

/**
 * Bytes in JSON. Settings of a DatabaseUser are shorter. The start of a longer setting contains its name, and equals no
 * desired value.
 */
const longestSetting = 4_300
const settingStart = 200
/** For one role: more than a DatabaseUser desires. The operator finds the others after it has reset these. */
const mostSettings = 200

const settingsJson = `(SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('database', c.datname, 'text', c.text))
    FROM (SELECT b.datname, CASE WHEN pg_catalog.octet_length(pg_catalog.to_json(text)::text) <= ${longestSetting} THEN text
          ELSE pg_catalog."left"(text, ${settingStart}) END AS text
      FROM pg_catalog.pg_db_role_setting s LEFT JOIN pg_catalog.pg_database b ON b.oid = s.setdatabase,
        pg_catalog.unnest(s.setconfig) text WHERE s.setrole = r.oid LIMIT ${mostSettings}) c)`

/** Bytes. PostgreSQL's own verifiers have less than 150, but a role may set another text. */
const longestVerifier = 1_024

const verifierJson = `(SELECT CASE WHEN pg_catalog.octet_length(s.rolpassword) <= ${longestVerifier} THEN s.rolpassword END
    FROM pg_catalog.pg_authid s WHERE s.oid = r.oid)`

const serverJson = `pg_catalog.jsonb_build_object(
  'version', pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1),
  'majorVersion', pg_catalog.current_setting('server_version_num')::int / 10000,
  'systemIdentifier', (SELECT c.system_identifier::text FROM pg_catalog.pg_control_system() c),
  'isReadOnly', pg_catalog.current_setting('transaction_read_only') = 'on',
  'admin', (SELECT pg_catalog.jsonb_build_object('role', me.rolname, 'isSuperuser', me.rolsuper,
      'canCreateDatabases', me.rolsuper OR me.rolcreatedb, 'canCreateRoles', me.rolsuper OR me.rolcreaterole)
    FROM pg_catalog.pg_roles me WHERE me.rolname = current_user))`

/** Also excludes the logins of migration runs, which come and go. */
const unmanagedJson = `(SELECT pg_catalog.jsonb_agg(u.name ORDER BY u.name) FROM (SELECT DISTINCT r.rolname AS name
    FROM pg_catalog.aclexplode(d.datacl) x JOIN pg_catalog.pg_roles r ON r.oid = x.grantee
    WHERE x.privilege_type = 'CONNECT' AND r.oid <> d.datdba AND NOT r.rolsuper AND r.rolname <> current_user
      AND r.rolname NOT LIKE '\\_konverge\\_run\\_%'
      AND COALESCE(pg_catalog.shobj_description(r.oid, 'pg_authid'), '') NOT LIKE 'konverge {%' ORDER BY 1 LIMIT 1000) u)`

const databaseJson = `pg_catalog.jsonb_build_object(
  'name', d.datname, 'oid', d.oid::bigint, 'owner', pg_catalog.pg_get_userbyid(d.datdba),
  'comment', ${commentJson('d.oid', 'pg_database')},
  'ownerComment', ${commentJson('d.datdba', 'pg_authid')},
  'connectionLimit', CASE WHEN d.datconnlimit < -1 THEN -1 ELSE d.datconnlimit END, 'isInvalid', d.datconnlimit = -2,
  'allowsConnections', d.datallowconn, 'isTemplate', d.datistemplate,
  'encoding', pg_catalog.pg_encoding_to_char(d.encoding), 'collate', d.datcollate, 'ctype', d.datctype,
  'sizeBytes', CASE WHEN d.datconnlimit <> -2 AND (pg_catalog.has_database_privilege(d.oid, 'CONNECT')
      OR pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE')) THEN pg_catalog.pg_database_size(d.oid) END,
  'publicPrivileges', (SELECT pg_catalog.jsonb_agg(DISTINCT x.privilege_type)
    FROM pg_catalog.aclexplode(COALESCE(d.datacl, pg_catalog.acldefault('d', d.datdba))) x WHERE x.grantee = 0),
  'sessions', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a WHERE a.datid = d.oid AND ${foreignSession}),
  'lockedOutSessions', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a WHERE a.datid = d.oid AND ${lockedOutSession}),
  'holders', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('role', r.rolname,
      'comment', ${commentJson('r.oid', 'pg_authid')}, 'grantors', h.grantors, 'privileges', h.privileges) ORDER BY r.rolname)
    FROM pg_catalog.pg_roles r, LATERAL (SELECT
      ARRAY(SELECT pg_catalog.pg_get_userbyid(m.grantor) FROM pg_catalog.pg_auth_members m
        WHERE m.roleid = d.datdba AND m.member = r.oid) AS grantors,
      ARRAY(SELECT DISTINCT x.privilege_type FROM pg_catalog.aclexplode(d.datacl) x
        WHERE x.grantee = r.oid AND r.oid <> d.datdba ORDER BY 1) AS privileges) h
    WHERE pg_catalog.shobj_description(r.oid, 'pg_authid') LIKE 'konverge {%'
      AND (pg_catalog.cardinality(h.grantors) > 0 OR pg_catalog.cardinality(h.privileges) > 0)),
  'unmanaged', ${unmanagedJson},
  'replication', (SELECT pg_catalog.jsonb_agg(n.name ORDER BY n.name) FROM (
    SELECT 'logical replication slot ' || s.slot_name AS name FROM pg_catalog.pg_replication_slots s
      WHERE s.database = d.datname AND NOT s.temporary
    UNION ALL SELECT 'subscription ' || s.subname FROM pg_catalog.pg_subscription s WHERE s.subdbid = d.oid) n))`

function roleJson(majorVersion: number, asksVerifiers: boolean): string {
  return `pg_catalog.jsonb_build_object(
  'name', r.rolname, 'oid', r.oid::bigint, 'comment', ${commentJson('r.oid', 'pg_authid')},
  'canLogin', r.rolcanlogin, 'isSuperuser', r.rolsuper, 'inherits', r.rolinherit, 'canCreateDatabases', r.rolcreatedb,
  'canCreateRoles', r.rolcreaterole, 'canReplicate', r.rolreplication, 'bypassesRowSecurity', r.rolbypassrls,
  'connectionLimit', r.rolconnlimit, 'hasExpired', COALESCE(r.rolvaliduntil <= pg_catalog.now(), false),
  'validUntil', CASE WHEN r.rolvaliduntil <> 'infinity' THEN
    pg_catalog.to_char(r.rolvaliduntil AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END,
  'verifier', ${asksVerifiers ? verifierJson : 'NULL'},
  'memberOf', ${membershipsJson('m.member = r.oid', majorVersion)},
  'members', ${membershipsJson('m.roleid = r.oid', majorVersion)},
  'reaches', ${reachesJson},
  'settings', ${settingsJson},
  'sessions', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a WHERE a.usesysid = r.oid AND ${foreignSession}),
  'dependents', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'database', COALESCE(e.database, ''), 'owned', e.owned, 'granted', e.granted) ORDER BY e.database)
    FROM (SELECT b.datname AS database, pg_catalog.count(*) FILTER (WHERE p.deptype = 'o') AS owned,
        pg_catalog.count(*) FILTER (WHERE p.deptype <> 'o') AS granted
      FROM pg_catalog.pg_shdepend p LEFT JOIN pg_catalog.pg_database b ON b.oid = p.dbid
      WHERE p.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass AND p.refobjid = r.oid
      GROUP BY b.datname) e))`
}

const reachesJson = `(WITH RECURSIVE reached(oid) AS (
      SELECT m.roleid FROM pg_catalog.pg_auth_members m WHERE m.member = r.oid
      UNION SELECT m.roleid FROM reached JOIN pg_catalog.pg_auth_members m ON m.member = reached.oid)
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', p.rolname, 'isSuperuser', p.rolsuper,
      'bypassesRowSecurity', p.rolbypassrls, 'canCreateRoles', p.rolcreaterole, 'canReplicate', p.rolreplication) ORDER BY p.rolname)
    FROM reached JOIN pg_catalog.pg_roles p ON p.oid = reached.oid)`

/** Since PostgreSQL 16, a membership has options, and one pair can have several memberships by different grantors. */
function membershipsJson(condition: string, majorVersion: number): string {
  const [inherits, canSet] =
    majorVersion < 16
      ? ['pg_catalog.bool_or(u.rolinherit)', 'true']
      : ['pg_catalog.bool_or(m.inherit_option)', 'pg_catalog.bool_or(m.set_option)']
  return `(SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('role', g.role, 'member', g.member,
      'grantors', g.grantors, 'isAdmin', g.is_admin, 'inherits', g.inherits, 'canSet', g.can_set) ORDER BY g.role, g.member)
    FROM (SELECT pg_catalog.pg_get_userbyid(m.roleid) AS role, u.rolname AS member,
        pg_catalog.jsonb_agg(pg_catalog.pg_get_userbyid(m.grantor)) AS grantors,
        pg_catalog.bool_or(m.admin_option) AS is_admin, ${inherits} AS inherits, ${canSet} AS can_set
      FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles u ON u.oid = m.member
      WHERE ${condition} GROUP BY m.roleid, u.rolname) g)`
}

/** Answer of the statement above. Null means an empty list. */
export interface ServerAnswer {
  readonly server: ServerObservation['server']
  readonly databases: readonly DatabaseAnswer[] | null
  readonly roles: readonly RoleAnswer[] | null
}

type DatabaseAnswer = Omit<
  ObservedDatabase,
  'token' | 'ownerToken' | 'publicPrivileges' | 'sizeBytes' | 'replication' | 'holders' | 'unmanaged'
> & {
  readonly holders: readonly (Omit<DatabaseHolder, 'token'> & { readonly comment: string | null })[] | null
  readonly comment: string | null
  readonly ownerComment: string | null
  readonly publicPrivileges: readonly string[] | null
  readonly sizeBytes: number | null
  readonly replication: readonly string[] | null
  readonly unmanaged: readonly string[] | null
}

type Given =
  | 'token'
  | 'succession'
  | 'validUntil'
  | 'verifierMatches'
  | 'memberOf'
  | 'members'
  | 'reaches'
  | 'settings'
  | 'dependents'

type RoleAnswer = Omit<ObservedRole, Given> & {
  readonly comment: string | null
  readonly validUntil: string | null
  readonly verifier: string | null
  readonly memberOf: readonly Membership[] | null
  readonly members: readonly Membership[] | null
  readonly reaches: readonly RolePower[] | null
  readonly settings: readonly { readonly database: string | null; readonly text: string }[] | null
  readonly dependents: ObservedRole['dependents'] | null
}

/** Checks the fields on which every decision depends. Throws TypeError, as does a read of a value of another form. */
function checkForm({ systemIdentifier, version, majorVersion, admin }: ServerAnswer['server']): void {
  const texts = [systemIdentifier, version, admin.role]
  if (!Number.isInteger(majorVersion) || texts.some((text) => typeof text !== 'string'))
    throw new TypeError('a server without an identity')
}

/** Limit of settings and memberships of one role, and of roles with rights in one database. */
const mostOfOneRole = 10_000

function checkSizes({ databases, roles }: Pick<ServerAnswer, 'databases' | 'roles'>): void {
  for (const { name, settings, memberOf, members, reaches, dependents } of roles ?? []) {
    const lists = { settings, memberships: memberOf, members, 'roles within reach': reaches, databases: dependents }
    for (const [what, list] of Object.entries(lists))
      if ((list?.length ?? 0) > mostOfOneRole) throw excess(`role ${name}`, what)
  }
  for (const { name, holders } of databases ?? [])
    if ((holders?.length ?? 0) > mostOfOneRole) throw excess(`database ${name}`, 'roles with rights')
}

function excess(whose: string, what: string): EngineError {
  const message = `${whose} has more than ${mostOfOneRole} ${what}; drop or revoke those that are not needed`
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

/**
 * Compares stored verifiers and drops them. The session facts must be those of the question. Throws StatementFailed for
 * a role or database that exceeds a limit.
 */
export function serverObservation(
  { server, databases, roles }: ServerAnswer,
  question: ServerQuestion,
  { isSuperuser }: SessionFacts,
): ServerObservation {
  checkForm(server)
  checkSizes({ databases, roles })
  const verifiers = new Map(question.roles?.map(({ name, verifier }) => [name, verifier]))
  return {
    server,
    databases: (databases ?? []).map(
      ({ comment, ownerComment, publicPrivileges, sizeBytes, replication, holders, unmanaged, ...database }) => ({
        ...database,
        token: tokenIn(comment),
        succession: successionIn(comment),
        ownerToken: tokenIn(ownerComment),
        publicPrivileges: publicPrivileges ?? [],
        sizeBytes: sizeBytes ?? undefined,
        replication: replication ?? [],
        unmanaged: unmanaged ?? [],
        holders: (holders ?? []).map(({ comment: mark, ...holder }) => ({ ...holder, token: tokenIn(mark) })),
      }),
    ),
    roles: (roles ?? []).map(({ comment, verifier: stored, ...role }) => {
      const asked = verifiers.get(role.name)
      return {
        ...role,
        token: tokenIn(comment),
        succession: successionIn(comment),
        validUntil: role.validUntil ?? undefined,
        verifierMatches: asked === undefined || !isSuperuser ? undefined : asked === stored,
        memberOf: role.memberOf ?? [],
        members: role.members ?? [],
        reaches: role.reaches ?? [],
        settings: (role.settings ?? []).map(({ database, text }) => ({
          database: database ?? undefined,
          ...settingIn(text),
        })),
        dependents: role.dependents ?? [],
      }
    }),
  }
}
