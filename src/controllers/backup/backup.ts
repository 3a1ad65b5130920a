// Controller of Backup, written with the public API. Workers make and verify one backup; a schedule creates Backups and
// removes those that its retention no longer keeps. Only workers access a store; the controller reads their reports.
import { ApiObject, type Chart } from 'cdk8s'
import { WorkerJob } from '../../../constructs/index.ts'
import { Backup, type BackupSpec, type BackupStatus } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import {
  ConfigMap,
  type Controller,
  type DesiredContext,
  defineController,
  type ExternalReport,
  type InvalidSpec,
  initialOnly,
  isBeingDeleted,
  Job,
  keyFor,
  type LiveObject,
  PersistentVolumeClaim,
  Pod,
  readyWhen,
  reportOf,
  retain,
  Secret,
  Service,
  type StatusContext,
  type StatusReport,
  timestampAt,
  valueAt,
} from '../../index.ts'
import type { RdsClientLoaderOptions } from '../database/rds/rds-client-loader.ts'
import type { ObservedSnapshot } from '../database/rds/snapshot.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import { labelledSecrets, type ReferencePolicy } from '../references/reference-policy.ts'
import { holdDeletion } from '../references/server-rejection.ts'
import { holdWorkers } from '../worker/held-workers.ts'
import { type BackupFacts, jobAnnotation, loadFacts, workerAnnotation, workerLabel } from './backup-loader.ts'
import { type BackupObject, firstWork, slotAnnotation } from './desired-work.ts'
import { providerSnapshot } from './provider-snapshot.ts'
import { providerStatus } from './provider-status.ts'
import type { DesiredBackup } from './schedule-facts.ts'
import { scheduleStatus, unobservedStatus, unreadableStatus } from './schedule-status.ts'
import type { WorkerToBe } from './single-facts.ts'
import { preDeleteStatus, remembered, singleStatus } from './single-status.ts'

export interface BackupOptions {
  /** Image of the operator, which workers run. It must contain PostgreSQL's client programs. */
  readonly image: string
  /** Policy of the operator for references in a spec. */
  readonly policy?: ReferencePolicy | undefined
  /** Options of the client of Amazon RDS, for tests. */
  readonly rds?: RdsClientLoaderOptions
}

type Desired = DesiredContext<BackupSpec, BackupFacts>

/** Index by the Database of a Backup, as `namespace/name`. */
const byDatabase = 'database'
/** Index by the Secrets of the provider and of the store, as `namespace/name`. */
const bySecret = 'secret'
/** Label on the Backups of a schedule: its name. */
const scheduleLabel = 'data.konverge.dev/backup-schedule'

export function backup({ image, rds = {}, policy = labelledSecrets }: BackupOptions): Controller {
  const snapshot = providerSnapshot(rds)
  return defineController(Backup, {
    owns: [Job, { resource: ConfigMap, statusMatters: false }, Backup],
    abnormalConditions: ['Overdue'],
    reads: [Secret, Service, PersistentVolumeClaim],
    indexes: {
      [byDatabase]: ({ metadata, spec }) => [`${metadata.namespace}/${spec.databaseRef.name}`],
      [bySecret]: ({ metadata, spec, status }) => {
        const names = [status?.snapshot?.credentialsSecret, spec.target?.s3?.credentialsSecretRef?.name]
        return names.flatMap((name) => (name === undefined ? [] : [`${metadata.namespace}/${name}`]))
      },
    },
    external: [snapshot],
    watches: [
      {
        resource: Database,
        keysFor: ({ metadata }, lookup) => lookup(byDatabase, `${metadata.namespace}/${metadata.name}`),
        digest: databaseDigest,
      },
      {
        resource: Secret,
        metadataOnly: true,
        keysFor: ({ metadata }, lookup) => lookup(bySecret, `${metadata.namespace}/${metadata.name}`),
      },
      {
        resource: Pod,
        labelSelector: workerLabel,
        keysFor: ({ metadata: { namespace, annotations } }) => {
          const name = annotations?.[workerAnnotation]
          return name === undefined ? [] : [keyFor(namespace, name)]
        },
        digest: (pod) =>
          JSON.stringify([
            valueAt(pod, 'status', 'phase'),
            valueAt(pod, 'status', 'containerStatuses'),
            valueAt(pod, 'status', 'initContainerStatuses'),
          ]),
        keep: ({ spec: _, ...pod }) => pod,
      },
    ],
    observe: (context) => loadFacts(context, policy),
    validate: ({ facts }) => rejectionOf(facts),
    desired: (chart, context) => desired(chart, context, image),
    preDelete: (chart, { object, facts }) => {
      if (facts.kind !== 'parting') return
      if (facts.rejection !== undefined) return holdDeletion(chart, ConfigMap, facts.rejection)
      for (const { wish, run, isSuspended } of [facts.discard, facts.tidy].filter((work) => work !== undefined)) {
        addWorker(chart, { wish, isSuspended, isOver: run.kind === 'failed' }, { object, image })
      }
    },
    status: (context) => status(context, reportOf(snapshot, context.externals)),
  })
}

function rejectionOf(facts: BackupFacts): InvalidSpec | undefined {
  if (facts.kind === 'schedule') return facts.problem
  if (facts.kind === 'parting') return undefined
  return facts.problem?.kind === 'refused' ? facts.problem : undefined
}

/** Digest of the fields of a Database that a Backup depends on. */
function databaseDigest(database: LiveObject) {
  const { provider, databaseName, deletionPolicy } = (database as DatabaseObject).spec // The watch is of this kind.
  const { phase, identity, upgrade } = (database as DatabaseObject).status ?? {}
  const seen = [provider, databaseName, deletionPolicy, phase, identity, upgrade?.state, isBeingDeleted(database)]
  return JSON.stringify(seen)
}

function desired(chart: Chart, { object, facts }: Desired, image: string): void {
  switch (facts.kind) {
    case 'single':
      holdWorkers(chart, facts.held, facts.problem)
      for (const worker of facts.workers) addWorker(chart, worker, { object, image })
      return
    case 'schedule':
      if (facts.due === undefined) return
      for (const child of facts.children) addBackup(chart, child, object.metadata.name)
      return
    case 'provider':
    case 'parting':
      return
  }
}

function addWorker(
  chart: Chart,
  { wish, isOver, isSuspended }: WorkerToBe,
  { object, image }: { readonly object: LiveObject; readonly image: string },
): void {
  const {
    name,
    work,
    text: order,
    digest: orderDigest,
    credentials,
    storeClaim,
    deadlineSeconds,
    scratchLimit,
    sealedWork,
  } = wish
  const { job } = new WorkerJob(chart, work, {
    ...{ name, image, work: firstWork(wish), order, orderDigest, credentials, deadlineSeconds, isSuspended },
    ...(storeClaim === undefined ? {} : { storeClaim }),
    scratchLimit,
    ...(sealedWork === undefined ? {} : { sealedWork }),
    retries: 3,
    labels: { [workerLabel]: object.metadata.uid },
    annotations: { [workerAnnotation]: object.metadata.name, [jobAnnotation]: name },
  })
  // The template of a Job is immutable, and a new image does not justify another run.
  initialOnly(job, 'spec.template')
  // The termination message of the worker reports the outcome.
  if (isOver) readyWhen(job, () => true)
}

/** The schedule does not wait until the Backup is gone. */
function addBackup(chart: Chart, { name, slotMs, spec, stays }: DesiredBackup, schedule: string): void {
  const child = new ApiObject(chart, name, {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup' },
    metadata: {
      name,
      labels: { [scheduleLabel]: schedule },
      annotations: { [slotAnnotation]: timestampAt(slotMs) },
    },
    spec,
  })
  readyWhen(child, () => true)
  if (stays) retain(child)
}

function status(
  context: StatusContext<BackupSpec, BackupStatus, BackupFacts>,
  report: ExternalReport<ObservedSnapshot> | undefined,
): StatusReport<BackupStatus> {
  const { facts, outcome } = context
  const object = context.object as BackupObject // The CRD requires a spec.
  // After a failed reconcile the runtime's own conditions are more specific.
  const isOver = outcome.kind === 'settled' || outcome.kind === 'waiting'
  if (facts?.kind === 'parting') return preDeleteStatus(object, facts)
  if (isBeingDeleted(object)) return { fields: remembered(object), conditions: [] }
  if (facts === undefined) return unobservedStatus(object)
  if (facts.kind === 'provider') return providerStatus({ object, facts, report, outcome })
  if (facts.kind === 'single') return singleStatus(object, facts, isOver)
  if (facts.due === undefined) return unreadableStatus(object, facts)
  return scheduleStatus(object, facts, isOver)
}
