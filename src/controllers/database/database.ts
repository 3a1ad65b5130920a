// The controller of Database: one database of PostgreSQL, on a server that exists or on one that is made for it in the cluster. Its
// server is made of children; the database itself is an External, which the runtime looks after once they are ready.

import type { Chart } from 'cdk8s'
import {
  DatabaseServer,
  databaseSelectorLabel,
  databaseServerNames,
  databaseServerProps,
} from '../../../constructs/index.ts'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database, type DatabaseSpec, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { DatabaseUser, type DatabaseUserSpec } from '../../../imports/wire/database-user.ts'
import {
  ConfigMap,
  type Controller,
  type DesiredContext,
  defineController,
  defineExternal,
  type ExternalContext,
  type ExternalTools,
  type ExternalWish,
  isBeingDeleted,
  isOf,
  type Key,
  keyFor,
  type LiveObject,
  type LiveReader,
  Namespace,
  type ObserveContext,
  PersistentVolumeClaim,
  type Refusal,
  type Resource,
  reportOf,
  retain,
  Secret,
  Service,
  StatefulSet,
} from '../../index.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import { growClaims } from '../stateful-set/larger-claims.ts'
import { troubleOf } from '../stateful-set/pod-trouble.ts'
import { isServing } from '../stateful-set/replica.ts'
import { takeHeadlessPods } from '../stateful-set/stateful-set-loader.ts'
import { stuckRolloutRepair } from '../stateful-set/stuck-rollout.ts'
import { storageClassKey, watchesOf } from '../stateful-set/watches.ts'
import { isAbandoned } from './abandoned.ts'
import { hasConsent } from './consent.ts'
import { DatabaseDriver } from './database-driver.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { databaseRemoval } from './database-removal.ts'
import { databaseStatus } from './database-status.ts'
import { declareFinalBackup } from './final-backup.ts'
import { loadFinalBackup } from './final-backup-loader.ts'
import { databaseNameOf, type LogicalDatabase, logicalDatabase } from './logical-database.ts'
import type { ObservedInstance } from './rds/instance.ts'
import { loadRdsFacts } from './rds/instance-facts-loader.ts'
import { instanceGate } from './rds/instance-gate.ts'
import { instanceSecret } from './rds/instance-secret.ts'
import { withInstance } from './rds/instance-status.ts'
import type { RdsClientLoaderOptions } from './rds/rds-client-loader.ts'
import { rdsInstance } from './rds/rds-instance.ts'
import {
  connectionSecrets,
  connectionSource,
  type DatabaseObject,
  type ServerConnection,
  serverConnection,
} from './server-connection.ts'
import { passwordLost, type ServerSecrets, serverSecrets } from './server-secrets.ts'
import { whyNotServing } from './server-volume.ts'
import { loadServerVolume, serverPlace } from './server-volume-loader.ts'
import { withVolume } from './volume-status.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>
type Context = ExternalContext<DatabaseSpec, DatabaseStatus, DatabaseFacts>
type Desired = DesiredContext<DatabaseSpec, DatabaseStatus, DatabaseFacts>

export interface DatabaseOptions {
  /** How Amazon RDS is called, for tests. */
  readonly rds?: RdsClientLoaderOptions
}

/** `engineOf` gives all controllers of one operator the same engine, so that they share its sessions. */
export function database(
  engineOf: (tools: ExternalTools) => DatabaseEngine,
  { rds = {} }: DatabaseOptions = {},
): Controller {
  const instance = rdsInstance(rds)
  const logical = defineExternal({
    name: 'database',
    driver: (tools) => new DatabaseDriver(engineOf(tools)),
    wish: wishOf,
    removal: ({ object, facts }) => databaseRemoval(object, facts),
  })
  return defineController<DatabaseSpec, DatabaseStatus, DatabaseFacts>(Database, {
    owns: [StatefulSet, Service, { resource: ConfigMap, statusMatters: false }, Secret, Backup],
    indexes: {
      secret: (object) => secretsOf(object).map((name) => placed(object, name)),
      storageClassName: ({ spec: { provider } }) =>
        provider.inCluster === undefined ? [] : [storageClassKey(provider.inCluster.storage.storageClassName)],
    },
    watches: [
      {
        resource: Secret,
        metadataOnly: true,
        keysFor: (secret, lookup) => lookup('secret', placed(secret, secret.metadata.name)),
      },
      { resource: DatabaseUser, keysFor: databasesOf, digest: databasesOf },
      ...watchesOf(databaseSelectorLabel, (pod) => ({ isServing: isServing(pod), ...troubleOf(pod) })),
    ],
    reads: [Secret, PersistentVolumeClaim, Namespace],
    external: [instance, logical],
    isSuspended: ({ spec }) => spec.suspend === true,
    observe: (context) => observe(context, reportOf(instance, context.externals)?.observed),
    refuse: ({ object, facts }) => refusalOf(object, facts),
    desired: (chart, context) => {
      const { metadata, spec } = context.object
      if (context.facts.rds !== undefined) instanceSecret(chart, metadata.name, context.facts.rds)
      addServer(chart, context, spec.deletionPolicy === 'Delete' ? 'Delete' : 'Retain')
    },
    parting: (chart, context) => {
      const { users, finalBackup } = context.facts
      // What its users write is part of it, and they keep it from going.
      if (users.length > 0) return
      if (finalBackup?.kind === 'awaited') declareFinalBackup(chart, finalBackup)
      if (finalBackup?.kind === 'made' && finalBackup.isVolumeKept) addServer(chart, context, 'Delete')
    },
    repair: ({ facts, children }) =>
      stuckRolloutRepair(
        children.find(({ object }) => isOf(StatefulSet, object))?.object,
        facts.serverVolume?.blockingPod,
      ),
    status: (context) => {
      const status = withVolume(databaseStatus(context, reportOf(logical, context.externals)), context)
      return withInstance(status, context, reportOf(instance, context.externals))
    },
    cleanup: async ({ object, live }) => (await takeHeadlessPods(live, serverPlace(object))) ?? { kind: 'done' },
  })
}

/** A server of its own in the cluster, where it has one. */
function addServer(chart: Chart, { object, facts }: Desired, volumeWhenDeleted: 'Delete' | 'Retain'): void {
  const { metadata, spec } = object
  const { serverSecrets: own, serverVolume: volume } = facts
  if (own === undefined || volume === undefined) return
  const { volumeSize } = volume
  const server = { namespace: metadata.namespace ?? '', volumeWhenDeleted, volumeSize, ...own } as const
  const props = databaseServerProps(metadata.name, spec, server)
  const { adminSecret, statefulSet } = new DatabaseServer(chart, 'server', props)
  // Nothing else knows the password of a volume that stays.
  if (volumeWhenDeleted === 'Retain') retain(adminSecret)
  growClaims(chart, { statefulSet, size: spec.provider.inCluster?.storage.size ?? volumeSize, ...volume })
}

/** The Secrets of others that it is made with. */
function secretsOf(object: DatabaseObject): readonly string[] {
  const aws = object.spec.provider.rds?.credentials.secretRef
  return [...connectionSecrets(connectionSource(object)), ...(aws === undefined ? [] : [aws.name])]
}

function wishOf({ object, facts, children, earlier }: Context): ExternalWish<LogicalDatabase> {
  const { connection } = facts
  const { spec } = object
  const whyNot = spec.provider.inCluster === undefined ? undefined : whyNotServing(children, facts.serverVolume)
  if (whyNot !== undefined) return { kind: 'blocked', ...whyNot }
  const gate = spec.provider.rds === undefined ? undefined : instanceGate(earlier[0])
  if (gate !== undefined) return { kind: 'blocked', ...gate }
  if (connection.kind === 'unknown') return { kind: 'blocked', reason: connection.reason, message: connection.message }
  return {
    kind: 'wanted',
    externalName: databaseNameOf(object),
    desired: logicalDatabase(object, connection.access),
    adopts: spec.adoptionPolicy === 'Adopt',
    driftPolicy: spec.driftPolicy,
    recreatesIfMissing: spec.recreateIfMissing,
  }
}

/** What somebody has to put right in a Secret; that the server is still to be made is nothing to refuse. */
function refusalOf(
  { spec }: DatabaseObject,
  { refusal, connection, rds, serverVolume }: DatabaseFacts,
): Refusal | undefined {
  if (refusal !== undefined) return refusal
  const storageClassName = spec.provider.inCluster?.storage.storageClassName
  if (serverVolume?.lacksClass === true) {
    return { reason: 'InvalidSpec', message: `StorageClass '${storageClassName}' not found` }
  }
  if (rds?.problem !== undefined) return rds.problem
  return connection.kind === 'unknown' && connection.reason !== 'ServerNotMade' ? connection : undefined
}

async function observe(context: Observing, instance: ObservedInstance | undefined): Promise<DatabaseFacts> {
  const { object, live } = context
  if (!isBeingDeleted(object)) return await observeServer(context, instance, [])
  // Whoever lets go of it does not wait for what cannot be looked up.
  if (isAbandoned(object)) return { connection: abandoned, users: [] }
  const facts = await observeServer(context, instance, await usersOf(object, live))
  const finalBackup = await loadFinalBackup(context)
  return { ...facts, ...(finalBackup === undefined ? {} : { finalBackup }) }
}

const abandoned: ServerConnection = { kind: 'unknown', reason: 'ServerNotMade', message: 'it is let go of' }

async function observeServer(
  context: Observing,
  instance: ObservedInstance | undefined,
  users: readonly string[],
): Promise<DatabaseFacts> {
  const { object, live } = context
  const { inCluster, rds } = object.spec.provider
  if (rds !== undefined) {
    const { facts, adminSecret } = await loadRdsFacts(context, rds, instance)
    return { connection: await connectionTo(object, live, adminSecret), users, rds: facts }
  }
  if (inCluster === undefined) return { connection: await connectionTo(object, live), users }
  const found = await findOwn(context)
  const connection = connectionIn(context, found.admin)
  const isLost = found.admin === undefined && !isBeingDeleted(object) && (await hasVolume(object, live))
  if (isLost) return { connection, users, refusal: passwordLost(object.metadata.name) }
  const serverVolume = await loadServerVolume(context, inCluster.storage)
  return { connection, users, serverSecrets: drawMissing(context, found), serverVolume }
}

/** `known`: a Secret that is at hand already. */
async function connectionTo(
  object: DatabaseObject,
  live: LiveReader,
  known?: LiveObject | undefined,
): Promise<ServerConnection> {
  const source = connectionSource(object)
  const { namespace } = object.metadata
  const names = connectionSecrets(source)
  const find = (name: string) => (name === known?.metadata.name ? known : live.find(Secret, { namespace, name }))
  const found = await Promise.all(names.map(find))
  const secrets = new Map(found.flatMap((secret) => (secret === undefined ? [] : [[secret.metadata.name, secret]])))
  return serverConnection({ source, secrets, service: undefined })
}

interface OwnSecrets {
  readonly admin: LiveObject | undefined
  readonly tls: LiveObject | undefined
}

/** In memory but for the first turns, and where somebody has taken their labels off. */
async function findOwn({ object, children, live }: Observing): Promise<OwnSecrets> {
  const { namespace, name } = object.metadata
  const { adminSecret, tlsSecret } = databaseServerNames(name)
  const find = async (secret: string) =>
    childNamed(children, Secret, secret) ?? (await live.find(Secret, { namespace, name: secret }))
  const [admin, tls] = await Promise.all([find(adminSecret), find(tlsSecret)])
  return { admin, tls }
}

function connectionIn({ object, children }: Observing, admin: LiveObject | undefined): ServerConnection {
  const secrets = new Map(admin === undefined ? [] : [[admin.metadata.name, admin]])
  const service = childNamed(children, Service, databaseServerNames(object.metadata.name).clientService)
  return serverConnection({ source: connectionSource(object), secrets, service })
}

async function hasVolume({ metadata: { namespace, name } }: DatabaseObject, live: LiveReader): Promise<boolean> {
  const claim = await live.find(PersistentVolumeClaim, { namespace, name: databaseServerNames(name).volumeClaim })
  return claim !== undefined && !isBeingDeleted(claim)
}

function drawMissing({ object, nowMs, secrets }: Observing, found: OwnSecrets): ServerSecrets {
  const { namespace = '', name } = object.metadata
  return serverSecrets({ ...found, name, namespace, nowMs, secrets })
}

async function usersOf(object: DatabaseObject, live: LiveReader): Promise<readonly string[]> {
  const key = keyFor(object.metadata.namespace, object.metadata.name)
  const users = (await live.list(DatabaseUser, {})).filter((user) => databasesOf(user).includes(key))
  const guests = await Promise.all(users.map((user) => isWelcome(object, user, live)))
  return users
    .filter((_, at) => guests[at])
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .toSorted()
}

/** Whoever has no consent uses nothing, and must not keep the Database of others from going. */
async function isWelcome({ metadata, spec }: DatabaseObject, user: LiveObject, live: LiveReader): Promise<boolean> {
  const { allowedNamespaces } = spec
  const [databaseNamespace, userNamespace] = [metadata.namespace, user.metadata.namespace]
  const asksLabels = allowedNamespaces?.selector !== undefined && userNamespace !== databaseNamespace
  const home = asksLabels && userNamespace ? await live.find(Namespace, { name: userNamespace }) : undefined
  const namespaceLabels = home === undefined ? undefined : (home.metadata.labels ?? {})
  return hasConsent({ allowedNamespaces, databaseNamespace, userNamespace, namespaceLabels })
}

/** The Databases that a DatabaseUser names. */
function databasesOf({ metadata, spec }: LiveObject): readonly Key[] {
  // Sound: the CRD requires the spec.
  const { databases } = spec as DatabaseUserSpec
  return databases.map(({ namespace, name }) => keyFor(namespace ?? metadata.namespace, name))
}

function childNamed(children: readonly LiveObject[], resource: Resource, name: string): LiveObject | undefined {
  return children.find((child) => isOf(resource, child) && child.metadata.name === name)
}

function placed({ metadata }: LiveObject, name: string): string {
  return `${metadata.namespace}/${name}`
}
