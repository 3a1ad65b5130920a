// Controller of Database: one PostgreSQL database, on an existing server, a server in the cluster or an RDS instance. A
// server in the cluster consists of children. The database is an external resource, which the runtime manages once its
// server is ready.
import type { Chart } from 'cdk8s'
import { databaseOfLabel, databaseSelectorLabel, databaseServerNames } from '../../../constructs/index.ts'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database, type DatabaseSpec, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import {
  ConfigMap,
  type Controller,
  childNamed,
  type DesiredContext,
  type DesiredExternal,
  defineController,
  defineExternal,
  type ExternalContext,
  type ExternalReport,
  type ExternalTools,
  type InvalidSpec,
  isAbandoned,
  isBeingDeleted,
  Job,
  keyFor,
  type LiveObject,
  type LiveReader,
  Namespace,
  type ObserveContext,
  PersistentVolumeClaim,
  Pod,
  type ResourceContext,
  reportOf,
  Secret,
  Service,
  StatefulSet,
} from '../../index.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import { labelledSecrets, type ReferencePolicy } from '../references/reference-policy.ts'
import { holdDeletion, rejectedServer } from '../references/server-rejection.ts'
import { problemOf } from '../stateful-set/pod-problem.ts'
import { isServing } from '../stateful-set/replica.ts'
import { takeHeadlessPods } from '../stateful-set/stateful-set-loader.ts'
import { stuckRolloutRepair } from '../stateful-set/stuck-rollout.ts'
import { storageClassKey, watchesOf } from '../stateful-set/watches.ts'
import { backedUp } from './backed-up.ts'
import { withBackups } from './backed-up-status.ts'
import { backupWatch, byBackup, restoredFrom } from './backup-watch.ts'
import { loadConnection } from './connection-loader.ts'
import { consentingNamespaces, hasConsent } from './consent.ts'
import { DatabaseDriver } from './database-driver.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { databaseRemoval } from './database-removal.ts'
import { databaseStatus } from './database-status.ts'
import { desiredServer, holdServer } from './desired-server.ts'
import { declareFinalBackup } from './final-backup.ts'
import { loadFinalBackup } from './final-backup-loader.ts'
import { databaseNameOf, type LogicalDatabase, logicalDatabase } from './logical-database.ts'
import { movingProblem } from './moving.ts'
import type { ObservedInstance } from './rds/instance.ts'
import { loadRdsFacts } from './rds/instance-facts-loader.ts'
import { instanceGate } from './rds/instance-gate.ts'
import { instanceSecret } from './rds/instance-secret.ts'
import { withInstance } from './rds/instance-status.ts'
import type { RdsClientLoaderOptions } from './rds/rds-client-loader.ts'
import { rdsInstance } from './rds/rds-instance.ts'
import { addRestoreWorker, declareRestorePreDelete } from './restore/restore-children.ts'
import { restoreGate, restoreRejection } from './restore/restore-gate.ts'
import { loadRestore } from './restore/restore-loader.ts'
import type { OwnServer } from './restore/restore-place.ts'
import { withRestore } from './restore/restore-status.ts'
import { schemaRejection } from './schema-rejection.ts'
import {
  connectionSecrets,
  connectionSource,
  type DatabaseObject,
  type ServerConnection,
  serverConnection,
} from './server-connection.ts'
import { type ServerSecrets, serverSecrets } from './server-secrets.ts'
import { isOver, servedSide } from './server-sides.ts'
import { loadBeginning, loadSideClaim, loadSides } from './server-sides-loader.ts'
import { whyNotReached, whyNotServing } from './server-volume.ts'
import { sidePlace } from './server-volume-loader.ts'
import { isUnsettled } from './terminating-server.ts'
import { desiredMove } from './upgrade/desired-move.ts'
import { loadMove } from './upgrade/move-loader.ts'
import { loadOtherDatabases } from './upgrade/others-loader.ts'
import { databasesOf } from './upgrade/unserved-users.ts'
import { databaseUpgrade } from './upgrade/upgrade-saga.ts'
import { withUpgrade } from './upgrade/upgrade-status.ts'
import { withVolume } from './volume-status.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>
type Context = ExternalContext<DatabaseSpec, DatabaseStatus, DatabaseFacts>

/** Name of the database's journal entry in `status.external`. */
const recordName = 'database'
const listed = [Migration, Pod].map((resource) => ({ resource, isListed: true }))

export interface DatabaseOptions {
  /** Worker image: the operator's own, with PostgreSQL's client programs. Empty: no restores and no upgrades. */
  readonly image?: string
  /** The operator's rules for references in a spec. */
  readonly policy?: ReferencePolicy | undefined
  /** Calls of Amazon RDS, for tests. */
  readonly rds?: RdsClientLoaderOptions
}

/** `engineOf` returns the same engine to all controllers of one operator, so that they share its sessions. */
export function database(
  engineOf: (tools: ExternalTools) => DatabaseEngine,
  { rds = {}, image = '', policy = labelledSecrets }: DatabaseOptions = {},
): Controller {
  const instance = rdsInstance(rds)
  const logical = defineExternal({
    name: recordName,
    driver: (tools) => new DatabaseDriver(engineOf(tools)),
    desired: desiredDatabaseOf,
    removal: ({ object, facts }) => databaseRemoval(object, facts),
  })
  return defineController<DatabaseSpec, DatabaseStatus, DatabaseFacts>(Database, {
    owns: [
      ...[StatefulSet, Service, Secret, Backup, Job],
      ...[ConfigMap, PersistentVolumeClaim].map((resource) => ({ resource, statusMatters: false })),
    ],
    indexes: {
      [byBackup]: restoredFrom,
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
      {
        resource: DatabaseUser,
        keysFor: databasesOf,
        digest: databasesOf,
        indexes: { database: databasesOf },
      },
      backupWatch,
      ...watchesOf(databaseSelectorLabel, (pod) => ({ isServing: isServing(pod), ...problemOf(pod) }), databaseOfLabel),
    ],
    // Changes of workers' Jobs show that their pods have something to read.
    reads: [Secret, PersistentVolumeClaim, { resource: Namespace, isListed: true }, ...listed],
    external: [instance, logical],
    sagas: [databaseUpgrade(engineOf)],
    isSuspended: ({ spec }) => spec.suspend === true,
    observe: (context) => observeAll(context, { policy, instance: reportOf(instance, context.externals) }),
    validate: ({ object, facts }) => rejectionOf(object, facts),
    desired: (chart, context) => declareAll(chart, context, image),
    preDelete: (chart, context) => declarePreDelete(chart, context, image),
    repair: ({ object, children, facts: { sides, serverVolume } }) =>
      stuckRolloutRepair(
        sides && childNamed({ object, children }, StatefulSet, sides.serving.statefulSet)?.object,
        serverVolume?.blockingPod,
      ),
    status: (context) => {
      const own = withVolume(databaseStatus(context, reportOf(logical, context.externals)), context)
      const status = withBackups(withUpgrade(own, context), context)
      return withRestore(withInstance(status, context, reportOf(instance, context.externals)), context)
    },
    cleanup: async ({ object, live }) =>
      (await takeHeadlessPods(live, sidePlace(object, servedSide(object)))) ?? { kind: 'done' },
  })
}

function declareAll(chart: Chart, { object, facts }: DesiredContext<DatabaseSpec, DatabaseFacts>, image: string): void {
  const { metadata } = object
  const filler = facts.restore && addRestoreWorker(chart, facts.restore, { object, image })
  if (facts.rds !== undefined) instanceSecret(chart, metadata.name, facts.rds)
  const server = desiredServer(chart, { object, facts, volumeWhenDeleted: volumeWhenDeleted(object) })
  if (facts.restore?.isServerHeld === true) holdServer(chart, server, { object, facts, filler })
  desiredMove(chart, { move: facts.move, image, server: server?.statefulSet })
}

function declarePreDelete(
  chart: Chart,
  { object, facts }: ResourceContext<DatabaseSpec, DatabaseStatus, DatabaseFacts>,
  image: string,
): void {
  const { users, finalBackup, restore, isServerUnsettled = false } = facts
  if (restore?.worker !== undefined) return declareRestorePreDelete(chart, restore, { object, image })
  if (isServerUnsettled) {
    // The volume needs this declaration before the server is deleted, so a rejected spec holds the deletion.
    if (facts.rejection !== undefined) return holdDeletion(chart, ConfigMap, facts.rejection)
    desiredServer(chart, { object, facts, volumeWhenDeleted: volumeWhenDeleted(object) })
    return
  }
  // The final backup has to include what users write, and users block the deletion.
  if (users.length > 0) return
  if (finalBackup?.kind === 'awaited') declareFinalBackup(chart, finalBackup)
  if (finalBackup?.kind === 'made' && finalBackup.isVolumeKept) {
    desiredServer(chart, { object, facts, volumeWhenDeleted: 'Delete' })
  }
}

function volumeWhenDeleted({ spec }: Pick<DatabaseObject, 'spec'>): 'Retain' | 'Delete' {
  return spec.deletionPolicy === 'Delete' ? 'Delete' : 'Retain'
}

/** Returns names of the Secrets that the connection to its server and to AWS needs. */
function secretsOf(object: DatabaseObject): readonly string[] {
  const aws = object.spec.provider.rds?.credentials.secretRef
  return [...connectionSecrets(connectionSource(object)), ...(aws === undefined ? [] : [aws.name])]
}

function desiredDatabaseOf({ object, facts, children, earlier }: Context): DesiredExternal<LogicalDatabase> {
  const { connection } = facts
  const { spec } = object
  const awaited = restoreGate(facts.restore)
  if (awaited !== undefined && facts.restore?.isServerHeld === true) return { kind: 'blocked', ...awaited }
  const whyNot = facts.sides && whyNotServing({ object, children }, facts.sides.serving.statefulSet, facts.serverVolume)
  if (whyNot !== undefined) return { kind: 'blocked', ...whyNot }
  const gate = spec.provider.rds === undefined ? undefined : instanceGate(earlier[0])
  if (gate !== undefined) return { kind: 'blocked', ...gate }
  if (connection.kind === 'unknown') return { kind: 'blocked', reason: connection.reason, message: connection.message }
  if (awaited !== undefined) return { kind: 'blocked', ...awaited }
  return {
    kind: 'wanted',
    externalName: databaseNameOf(object),
    desired: logicalDatabase(object, connection.access, {
      ...(facts.restore?.record === undefined ? {} : { restore: facts.restore.record }),
      consents: facts.consents,
    }),
    // Databases of a restored instance have the markers of the instance's source, so they are adopted.
    adopts: spec.adoptionPolicy === 'Adopt' || facts.restore?.record?.snapshot !== undefined,
    driftPolicy: spec.driftPolicy,
    recreatesIfMissing: spec.recreateIfMissing,
  }
}

/** Returns a problem that a user has to correct. A server that does not exist yet is no such problem. */
function rejectionOf(
  { spec }: DatabaseObject,
  { refusal, rejection, connection, rds, serverVolume, restore }: DatabaseFacts,
): InvalidSpec | undefined {
  if (rejection !== undefined) return rejection
  if (refusal !== undefined) return refusal
  const reserved = schemaRejection(spec)
  if (reserved !== undefined) return reserved
  const unrestored = restoreRejection(restore)
  if (unrestored !== undefined) return unrestored
  const storageClassName = spec.provider.inCluster?.storage.storageClassName
  if (serverVolume?.lacksClass === true) {
    return { reason: 'InvalidSpec', message: `StorageClass '${storageClassName}' not found` }
  }
  if (rds?.problem !== undefined) return rds.problem
  return connection.kind === 'unknown' && connection.reason !== 'ServerNotMade' ? connection : undefined
}

interface Surroundings {
  readonly policy: ReferencePolicy
  readonly instance: ExternalReport<ObservedInstance> | undefined
}

async function observeAll(context: Observing, surroundings: Surroundings): Promise<DatabaseFacts> {
  const { policy, instance } = surroundings
  const rejection = rejectedServer(context.object, policy)
  const facts = { ...(await observe(context, surroundings)), ...(rejection === undefined ? {} : { rejection }) }
  const { connection, serverVolume } = facts
  const { provider } = context.object.spec
  const gate = provider.rds === undefined ? undefined : instanceGate(instance)
  const reason = gate ?? (serverVolume && whyNotReached(serverVolume, connection))
  const serverProblem = reason === undefined ? undefined : ({ kind: 'waiting', ...reason } as const)
  const restore = await loadRestore(context, {
    connection,
    serverProblem: serverProblem ?? movingProblem(context.sagas),
    server: ownServer(context.object, facts),
    recordName,
    instance,
    policy,
  })
  const others = await loadOtherDatabases(context, { sides: facts.sides, restore: restore?.record })
  const { object, live, nowMs } = context
  const backups = await live.list(Backup, { namespace: object.metadata.namespace })
  return {
    ...{ ...facts, backedUp: backedUp({ object, backups, nowMs }), consents: await consentsOf(object, live) },
    ...(restore === undefined ? {} : { restore }),
    ...(others === undefined ? {} : { others }),
  }
}

function ownServer({ metadata }: DatabaseObject, { sides, serverVolume }: DatabaseFacts): OwnServer | undefined {
  if (sides === undefined || serverVolume === undefined) return undefined
  const { volumeClaim: claim, version } = sides.serving
  const { adminSecret } = databaseServerNames(metadata.name)
  return { isThere: serverVolume.hasStatefulSet, claim, adminSecret, version }
}

async function observe(context: Observing, surroundings: Surroundings): Promise<DatabaseFacts> {
  const { object, live } = context
  if (!isBeingDeleted(object)) return await observeServer(context, surroundings, [])
  // An abandoned Database does not wait for lookups.
  if (isAbandoned(object)) return { connection: abandoned, users: [] }
  const facts = await observeServer(context, surroundings, await usersOf(object, live))
  const finalBackup = await loadFinalBackup(context)
  const { sides } = facts
  const isServerUnsettled =
    sides !== undefined &&
    isUnsettled({ object, sides, children: context.children, claim: await loadSideClaim(context, sides.serving) })
  return { ...facts, isServerUnsettled, ...(finalBackup === undefined ? {} : { finalBackup }) }
}

const abandoned: ServerConnection = { kind: 'unknown', reason: 'ServerNotMade', message: 'it is let go of' }

async function observeServer(
  context: Observing,
  { policy, instance }: Surroundings,
  users: readonly string[],
): Promise<DatabaseFacts> {
  const { object, live } = context
  const { inCluster, rds } = object.spec.provider
  if (rds !== undefined) {
    const { facts, adminSecret } = await loadRdsFacts(context, rds, { policy, observed: instance?.observed })
    return { connection: await loadConnection(object, { live, policy, known: adminSecret }), users, rds: facts }
  }
  if (inCluster === undefined) return { connection: await loadConnection(object, { live, policy }), users }
  const found = await findOwn(context)
  const connection = connectionIn(context, found.admin, policy)
  const { side: begunWith, refusal } = await loadBeginning(context, found.admin !== undefined)
  if (refusal !== undefined) return { connection, users, refusal }
  const facts = { connection, users, serverSecrets: drawMissing(context, found) }
  const { record, ...sides } = await loadSides(context, { storage: inCluster.storage, begunWith })
  if (record === undefined || isOver(record)) return { ...facts, ...sides }
  return { ...facts, ...sides, move: await loadMove(context, { record, connection, beside: sides.beside }) }
}

interface OwnSecrets {
  readonly admin: LiveObject | undefined
  readonly tls: LiveObject | undefined
}

/** Both are in the cache, except in the first reconciles and after a removal of their labels. */
async function findOwn({ object, children, live }: Observing): Promise<OwnSecrets> {
  const { namespace, name } = object.metadata
  const { adminSecret, tlsSecret } = databaseServerNames(name)
  const find = async (secret: string) =>
    childNamed({ object, children }, Secret, secret) ?? (await live.find(Secret, { namespace, name: secret }))
  const [admin, tls] = await Promise.all([find(adminSecret), find(tlsSecret)])
  return { admin, tls }
}

function connectionIn(
  { object, children }: Observing,
  admin: LiveObject | undefined,
  policy: ReferencePolicy,
): ServerConnection {
  const secrets = new Map(admin === undefined ? [] : [[admin.metadata.name, admin]])
  const source = connectionSource(object)
  const serviceNamed = (name: string | undefined) =>
    name === undefined ? undefined : childNamed({ object, children }, Service, name)
  const [service, sideService] = [serviceNamed(source?.service), serviceNamed(source?.sideService)]
  return serverConnection({ source, secrets, service, sideService, policy })
}

function drawMissing({ object, nowMs, secrets }: Observing, found: OwnSecrets): ServerSecrets {
  const { namespace = '', name } = object.metadata
  return serverSecrets({ ...found, name, namespace, nowMs, secrets })
}

async function usersOf(object: DatabaseObject, live: LiveReader): Promise<readonly string[]> {
  const key = keyFor(object.metadata.namespace, object.metadata.name)
  const users = live.byIndex(DatabaseUser, 'database', key)
  const guests = await Promise.all(users.map((user) => isWelcome(object, user, live)))
  return users
    .filter((_, at) => guests[at])
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .toSorted()
}

/** Returns the namespaces whose users may have rights in the database. */
async function consentsOf({ metadata, spec }: DatabaseObject, live: LiveReader): Promise<readonly string[]> {
  const namespaces = spec.allowedNamespaces?.selector === undefined ? [] : await live.list(Namespace, {})
  return consentingNamespaces(metadata.namespace ?? '', spec.allowedNamespaces, namespaces)
}

/** A user without consent does not block the deletion of the Database. */
async function isWelcome({ metadata, spec }: DatabaseObject, user: LiveObject, live: LiveReader): Promise<boolean> {
  const { allowedNamespaces } = spec
  const [databaseNamespace, userNamespace] = [metadata.namespace, user.metadata.namespace]
  const asksLabels = allowedNamespaces?.selector !== undefined && userNamespace !== databaseNamespace
  const home = asksLabels && userNamespace ? await live.find(Namespace, { name: userNamespace }) : undefined
  const namespaceLabels = home === undefined ? undefined : (home.metadata.labels ?? {})
  return hasConsent({ allowedNamespaces, databaseNamespace, userNamespace, namespaceLabels })
}

function placed({ metadata }: LiveObject, name: string): string {
  return `${metadata.namespace}/${name}`
}
