// Victim: resources of all five kinds in a namespace, their databases on a server, and everything of them that must not
// change.

import { randomBytes } from 'node:crypto'
import { systemClock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { systemSecrets } from '../../src/base/random.ts'
import type { ServerAccess } from '../../src/controllers/engines/server-access.ts'
import { workOnMigration } from '../../src/controllers/migration/migration-worker.ts'
import { orderDigest, workerOrderIn } from '../../src/controllers/migration/worker-order.ts'
import { reviewHere } from '../controllers/migration/review-here.ts'
import type { LiveJson } from '../e2e/hand.ts'
import type { AnyObject } from '../fault-lab/end-state.ts'
import type { KindPath, NamespaceReader } from '../fault-lab/namespace-reader.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'

export const victimNamespace = 'victim'
export const attackerNamespace = 'attacker'

/** Resources of the victim by kubectl's short names; each reconciles after every attempt. */
export const victimResources = [
  { kind: 'kv', name: 'cart' },
  { kind: 'db', name: 'orders' },
  { kind: 'db', name: 'shared' },
  { kind: 'db', name: 'vault' },
  { kind: 'dbu', name: 'app' },
  { kind: 'dbu', name: 'boss' },
  { kind: 'dbu', name: 'report-a' },
  { kind: 'dbu', name: 'accountant' },
  { kind: 'bak', name: 'nightly' },
  { kind: 'mig', name: 'orders-v1' },
] as const

const serverOf = (secret: string) => ({ server: { connectionSecretRef: { name: secret }, sslMode: 'disable' } })

/** Specs in order of creation. */
export const victimSpecs: readonly { readonly kind: string; readonly name: string; readonly spec: object }[] = [
  { kind: 'ReplicatedKVStore', name: 'cart', spec: { image: 'valkey/valkey:8.0', replicas: 2 } },
  { kind: 'Database', name: 'orders', spec: { provider: serverOf('postgres-admin') } },
  {
    kind: 'Database',
    name: 'shared',
    spec: { provider: serverOf('postgres-admin'), allowedNamespaces: { names: [attackerNamespace] } },
  },
  // Its pods are simulated; its Secrets and other children matter.
  { kind: 'Database', name: 'vault', spec: { version: '18', provider: { inCluster: {} } } },
  { kind: 'DatabaseUser', name: 'app', spec: { databases: [{ name: 'orders', access: 'ReadWrite' }] } },
  { kind: 'DatabaseUser', name: 'boss', spec: { databases: [{ name: 'shared', access: 'Owner' }] } },
  { kind: 'DatabaseUser', name: 'report-a', spec: { databases: [{ name: 'orders', access: 'ReadOnly' }] } },
  {
    kind: 'DatabaseUser',
    name: 'accountant',
    spec: { roleName: 'ledger_owner', databases: [{ name: 'orders', access: 'ReadOnly' }] },
  },
  {
    kind: 'Backup',
    name: 'nightly',
    spec: {
      databaseRef: { name: 'orders' },
      schedule: '0 0 29 2 *',
      target: { pvc: { claimName: 'backups' } },
      retention: { keepLast: 3 },
    },
  },
  {
    kind: 'Migration',
    name: 'orders-v1',
    spec: {
      databaseRef: { name: 'orders' },
      steps: [{ name: 'bills', sql: `CREATE TABLE bills AS SELECT 'of the victim' AS text` }],
    },
  },
]

/** Resources that must be Ready throughout. The others lack a reachable server or a scheduled time that arrives. */
export const readyResources = victimResources.filter(
  ({ kind, name }) => !(name === 'vault' || kind === 'bak' || kind === 'mig'),
)

/** Returns a value that no attacker may read. */
export function secretValue(): string {
  return `victims-${randomBytes(9).toString('hex')}`
}

export const encoded = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))

/** Kinds whose objects change by themselves, or belong to no tenant. */
const restless = /^(events|leases|endpoints|endpointslices|controllerrevisions|pods|bindings)$/

/**
 * Returns all objects of the victim's namespace as text, by kind and name, without fields that every write or reconcile
 * changes.
 */
export async function objectsOf(reader: NamespaceReader, kinds: readonly KindPath[]): Promise<Record<string, string>> {
  const objects = await reader.objects(kinds.filter(({ plural }) => !restless.test(plural)))
  return Object.fromEntries(
    objects.map((object) => {
      const { metadata, status, ...rest } = object as AnyObject & LiveJson // The form of all objects.
      const { resourceVersion: _, managedFields: __, generation: ___, annotations = {}, ...lasting } = metadata
      const { 'konverge.dev/reconcile-now': ____, ...steady } = annotations
      const { conditions = [] } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] }
      const ready = conditions.find(({ type }) => type === 'Ready')?.status
      return [
        `${object.kind}/${metadata.name}`,
        JSON.stringify({ ...rest, metadata: { ...lasting, annotations: steady }, ready }, null, 1),
      ]
    }),
  )
}

/** Returns the credentials in the namespace's Secrets. */
export async function secretsOf(reader: NamespaceReader): Promise<readonly string[]> {
  // The form of every Secret.
  const secrets = (await reader.list({ groupVersion: 'v1', plural: 'secrets', kind: 'Secret' })) as readonly Pick<
    LiveJson,
    'data'
  >[]
  const opening = /^(password|token|key|tls\.key|verifier|accessKey)$/
  const values = secrets.flatMap(({ data = {} }) =>
    Object.entries(data).flatMap(([key, value]) =>
      opening.test(key) ? [Buffer.from(value, 'base64').toString()] : [],
    ),
  )
  return values.filter((value) => value.length >= 8)
}

/** Roles whose members an attacker may become: the owners of databases that admit the attacker as owner. */
const open = `('shared_owner', 'mine_owner')`

/**
 * Returns attributes and privileges of every initial role and database, and of every later role with more than a
 * tenant's privileges. The attackers' own roles and grants to them are not included.
 */
export async function powersOf(postgres: PostgresServer, known: readonly string[]): Promise<readonly object[]> {
  const values = [known]
  const roles = await postgres.byHand(
    `SELECT a.rolname, a.rolsuper, a.rolinherit, a.rolcreaterole, a.rolcreatedb, a.rolcanlogin, a.rolreplication,
       a.rolbypassrls, a.rolconnlimit, a.rolvaliduntil, md5(a.rolpassword) AS password,
       shobj_description(a.oid, 'pg_authid') AS mark,
       ARRAY(SELECT s.setdatabase::text || s.setconfig::text FROM pg_db_role_setting s WHERE s.setrole = a.oid) AS settings,
       ARRAY(SELECT m.member::regrole::text FROM pg_auth_members m WHERE m.roleid = a.oid
         AND a.rolname NOT IN ${open} ORDER BY 1) AS members
     FROM pg_authid a WHERE a.rolname = ANY($1) ORDER BY 1`,
    { values },
  )
  const databases = await postgres.byHand(
    `SELECT d.datname, d.datdba::regrole::text AS owner, d.datconnlimit, d.datallowconn,
       shobj_description(d.oid, 'pg_database') AS mark,
       ARRAY(SELECT g.grantee::regrole::text || ' ' || g.privilege_type FROM aclexplode(d.datacl) g
         WHERE g.grantee = 0 OR g.grantee::regrole::text = ANY($1) ORDER BY 1) AS privileges
     FROM pg_database d WHERE d.datname IN ('postgres', 'template0', 'template1', 'orders', 'shared') ORDER BY 1`,
    { values },
  )
  const risen = await postgres.byHand(
    `SELECT a.rolname FROM pg_authid a WHERE a.rolname <> ALL($1)
       AND (a.rolsuper OR a.rolcreaterole OR a.rolbypassrls OR a.rolreplication)`,
    { values },
  )
  const tables = await postgres.byHand(
    `SELECT (SELECT array_agg(text) FROM bills) AS rows, c.relname, c.relowner::regrole::text AS owner, c.relhastriggers,
       c.relrowsecurity, ARRAY(SELECT g.grantee::regrole::text || ' ' || g.privilege_type FROM aclexplode(c.relacl) g
         ORDER BY 1) AS privileges
     FROM pg_class c WHERE c.relname = 'bills'`,
    { database: 'orders' },
  )
  return [...roles, ...databases, { risen }, ...tables]
}

/** Returns all current roles except the attackers' logins and their groups, which attackers may change. */
export async function rolesOf(postgres: PostgresServer): Promise<readonly string[]> {
  const rows = await postgres.byHand(
    `SELECT rolname FROM pg_roles WHERE rolname !~ '^(owner|writer)(_[ab])?$' ORDER BY 1`,
  )
  return rows.map(({ rolname }) => String(rolname))
}

/** Executes a Migration's order like its pod, with the credentials of the server. */
export async function workOn(text: string, access: ServerAccess): Promise<{ readonly outcome: string }> {
  const order = workerOrderIn(text, orderDigest(text))
  if (order === undefined) throw new Error(`this is no order: ${text}`)
  const folders = [order.target, ...order.sources].map(({ folder }) => folder)
  const accesses = new Map(folders.map((folder) => [folder, access]))
  const surroundings = { clock: systemClock, secrets: systemSecrets, log: silentInstruments.log }
  const work = { order, accesses, ...surroundings, review: reviewHere }
  return await workOnMigration(work, new AbortController().signal)
}
