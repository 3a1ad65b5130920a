// Databases for tests: a desired one, and the matching observation.
import type { LogicalDatabase, ObservedLogicalDatabase } from '../../../src/controllers/database/logical-database.ts'
import type { DatabaseObject } from '../../../src/controllers/database/server-connection.ts'
import type { DatabaseEngine } from '../../../src/controllers/engines/engine.ts'
import { EngineError } from '../../../src/controllers/engines/engine-error.ts'
import type { ObservedDatabase, ObservedRole, ServerFacts } from '../../../src/controllers/engines/observed-server.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { LiveObject } from '../../../src/index.ts'
import { openLabels } from '../open-labels.ts'

export const uid = '1b4e28ba-2fa1-11d2-883f-0016d3cca427'
export const token = { uid, generation: 1 }
export const otherToken = { uid: '2c4e28ba-2fa1-11d2-883f-0016d3cca427', generation: 1 }
export const systemIdentifier = '7431000000000000001'
export const providerID = `pg://${systemIdentifier}/16400`

export const access: ServerAccess = {
  host: 'db.example',
  port: 5432,
  username: 'op',
  password: 'admin-password',
  maintenanceDatabase: 'postgres',
  tls: 'verify-full',
}

type Spec = DatabaseObject['spec']

/** As the API server returns it, on an external server. */
export function databaseObject(spec: Partial<Spec> = {}, own: Partial<LiveObject> = {}): DatabaseObject {
  const metadata = { name: 'shop-db', namespace: 'shop', uid, resourceVersion: '1', generation: 1 }
  const server = { connectionSecretRef: { name: 'server' }, maintenanceDatabase: 'postgres', sslMode: 'verify-full' }
  const defaults = {
    ...{ provider: { server }, adoptionPolicy: 'Never', deletionPolicy: 'Retain', driftPolicy: 'Correct' },
    ...{ recreateIfMissing: false, connectionLimit: -1 },
  }
  return {
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'Database',
    ...own,
    metadata: { ...metadata, ...own.metadata },
    // Sound: the defaults are the CRD's.
    spec: { ...defaults, ...spec } as Spec,
  } as DatabaseObject
}

export const inCluster: Spec['provider'] = { inCluster: { storage: { size: '1Gi' } } }

export function logical(own: Partial<LogicalDatabase> = {}): LogicalDatabase {
  return {
    access,
    caller: { kind: 'Database', namespace: 'shop', name: 'shop-db' },
    ...{ name: 'shop_db', owner: 'shop_db_owner', connectionLimit: -1, extensions: [], schemas: [] },
    ...{ recreatesIfMissing: false, isLeaving: false },
    ...own,
  }
}

export const server: ServerFacts = {
  version: '15.18',
  majorVersion: 15,
  systemIdentifier,
  isReadOnly: false,
  admin: { role: 'op', isSuperuser: false, canCreateDatabases: true, canCreateRoles: true },
}

export function observedDatabase(own: Partial<ObservedDatabase> = {}): ObservedDatabase {
  return {
    ...{ name: 'shop_db', oid: 16_400, owner: 'shop_db_owner', token, ownerToken: token },
    ...{ connectionLimit: -1, allowsConnections: true, isTemplate: false, isInvalid: false },
    ...{ encoding: 'UTF8', collate: 'C.UTF-8', ctype: 'C.UTF-8', sizeBytes: 7_800_000 },
    ...{ publicPrivileges: [], sessions: 0, replication: [], succession: undefined, holders: [], lockedOutSessions: 0 },
    unmanaged: [],
    ...own,
  }
}

export function observedRole(own: Partial<ObservedRole> = {}): ObservedRole {
  return {
    ...{
      name: 'shop_db_owner',
      oid: 16_399,
      token,
      succession: undefined,
      canLogin: false,
      isSuperuser: false,
      inherits: true,
    },
    ...{ canCreateDatabases: false, canCreateRoles: false, canReplicate: false, bypassesRowSecurity: false },
    ...{ connectionLimit: -1, validUntil: undefined, hasExpired: false, verifierMatches: undefined },
    ...{ memberOf: [], reaches: [], members: [], settings: [], sessions: 0, dependents: [] },
    ...own,
  }
}

/** Matches `logical()`. */
export function observed(own: Partial<ObservedLogicalDatabase> = {}): ObservedLogicalDatabase {
  return {
    ...{ server, database: observedDatabase(), ownerRole: observedRole(), formers: [], token },
    contents: {
      extensions: [],
      schemas: [{ name: 'public', owner: 'pg_database_owner', publicPrivileges: ['USAGE'] }],
    },
    ...own,
  }
}

/** An engine without a server, for pods that have only a status. */
export const noServer: DatabaseEngine = {
  server: () => {
    throw new EngineError({ code: 'ServerUnreachable', message: 'nobody answers', remedy: 'retry' })
  },
  visit: () => Promise.resolve(() => undefined),
}

/** A Secret that every kind may use. */
export function secret(name: string, values: Readonly<Record<string, string>>): LiveObject {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  const metadata = { name, namespace: 'shop', uid: `uid-of-${name}`, resourceVersion: '1', labels: openLabels }
  return { apiVersion: 'v1', kind: 'Secret', metadata, data } as LiveObject
}
