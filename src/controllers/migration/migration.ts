// Controller of Migration, written with the public API: its Database, the worker that changes the database, and the
// markers there.
// Invariant: the markers alone record the progress.
import type { Chart } from 'cdk8s'
import { WorkerJob } from '../../../constructs/index.ts'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { Migration, type MigrationSpec, type MigrationStatus } from '../../../imports/wire/migration.ts'
import {
  ConfigMap,
  type Controller,
  type DesiredContext,
  defineController,
  type ExternalTools,
  initialOnly,
  Job,
  keyFor,
  type LiveObject,
  Namespace,
  Pod,
  type ResourceContext,
  readyWhen,
  reportOf,
  Secret,
  Service,
  valueAt,
} from '../../index.ts'
import { declareOwnBackup } from '../database/own-backup.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { QueuedReviewer } from '../engines/step-review.ts'
import { labelledSecrets, type ReferencePolicy } from '../references/reference-policy.ts'
import { holdDeletion } from '../references/server-rejection.ts'
import { holdWorkers } from '../worker/held-workers.ts'
import type { DesiredWorker } from './desired-worker.ts'
import type { MigrationFacts } from './migration-facts.ts'
import { loadFacts } from './migration-loader.ts'
import { migrationMarks } from './migration-marks.ts'
import { type PreDeleteFacts, preDeleteProblem } from './migration-pre-delete.ts'
import { migrationStatus } from './migration-status.ts'
import { workerAnnotation, workerLabel } from './run-loader.ts'
import { exitCodeOf } from './worker-report.ts'
import type { WorkerRun } from './worker-run.ts'

export interface MigrationOptions {
  readonly engineFor: (tools: ExternalTools) => DatabaseEngine
  /** Image of the operator, which workers run. */
  readonly image: string
  /** Limited and queued review: users write the text of steps. */
  readonly review: QueuedReviewer
  /** Policy of the operator for references in a spec. */
  readonly policy?: ReferencePolicy | undefined
}

/** Index by the Databases that it changes or copies from, as `namespace/name`. */
const byDatabase = 'database'
const byConfigMap = 'configMap'

export function migration({ engineFor, image, review, policy = labelledSecrets }: MigrationOptions): Controller {
  const marks = migrationMarks(engineFor)
  return defineController(Migration, {
    owns: [Job, { resource: ConfigMap, statusMatters: false }, Backup],
    reads: [Secret, Service, Namespace],
    external: [marks],
    indexes: {
      [byDatabase]: ({ metadata: { namespace }, spec }) =>
        [spec.databaseRef, ...spec.steps.flatMap(({ copy }) => copy?.from ?? [])].map(
          ({ name }) => `${namespace}/${name}`,
        ),
      [byConfigMap]: ({ metadata: { namespace }, spec }) =>
        spec.steps.flatMap(({ configMapKeyRef: ref }) => (ref === undefined ? [] : [`${namespace}/${ref.name}`])),
    },
    watches: [
      {
        resource: Database,
        keysFor: ({ metadata }, lookup) => lookup(byDatabase, `${metadata.namespace}/${metadata.name}`),
        digest: databaseDigest,
      },
      {
        resource: ConfigMap,
        metadataOnly: true,
        keysFor: ({ metadata }, lookup) => lookup(byConfigMap, `${metadata.namespace}/${metadata.name}`),
      },
      {
        resource: Pod,
        labelSelector: workerLabel,
        keysFor: ({ metadata: { namespace, annotations } }) => {
          const name = annotations?.[workerAnnotation]
          return name === undefined ? [] : [keyFor(namespace, name)]
        },
        digest: (pod) => valueAt(pod, 'status', 'containerStatuses') ?? null,
        keep: ({ spec: _, ...pod }) => pod,
      },
    ],
    observe: (context) => loadFacts(context, { policy, seen: reportOf(marks, context.externals)?.observed }, review),
    validate: ({ facts: { problem } }) => (problem?.kind === 'refused' ? problem : undefined),
    desired: (chart, context) => desired(chart, context, image),
    preDelete: (chart, context) => preDelete(chart, context, image),
    status: (context) => migrationStatus(context, reportOf(marks, context.externals)),
  })
}

/** Digest of the fields of a Database that a migration depends on. */
function databaseDigest(database: LiveObject) {
  // The watch is of this kind.
  const { provider, databaseName, snapshotTarget = null } = (database as DatabaseObject).spec
  const { phase, identity, upgrade } = (database as DatabaseObject).status ?? {}
  const isGoing = database.metadata.deletionTimestamp !== undefined
  return JSON.stringify([provider, databaseName, snapshotTarget, phase, identity, upgrade?.state, isGoing])
}

type Desired = DesiredContext<MigrationSpec, MigrationFacts>
type PreDeleteContext = ResourceContext<MigrationSpec, MigrationStatus, MigrationFacts>

function desired(chart: Chart, { object, facts }: Desired, image: string): void {
  const { worker, problem, kept, run, before } = facts
  // The facts report the state of the backup.
  if (before !== undefined) readyWhen(declareOwnBackup(chart, before.backup), () => true)
  if (worker === undefined) {
    // A running worker continues, and finds out for itself whether it can reach its database.
    return holdWorkers(chart, kept, problem)
  }
  if (worker.isWanted) addWorker(chart, { worker, run, isSuspended: object.spec.suspend === true }, { object, image })
}

/** If no worker can run, the condition gives the cause. */
function preDelete(chart: Chart, { object, facts }: PreDeleteContext, image: string): void {
  const todo: PreDeleteFacts = facts.parting ?? { kind: 'free', abandoned: [] }
  if (todo.kind === 'worker') {
    const trouble = preDeleteProblem(todo.run)
    addWorker(chart, { ...todo, isSuspended: false }, { object, image })
    if (trouble?.kind === 'refused') holdDeletion(chart, ConfigMap, trouble)
  }
  if (todo.kind === 'held') holdDeletion(chart, ConfigMap, todo)
}

interface WorkerToBe {
  readonly worker: Omit<DesiredWorker, 'isWanted'>
  readonly run: WorkerRun
  readonly isSuspended: boolean
}

function addWorker(
  chart: Chart,
  { worker, run, isSuspended }: WorkerToBe,
  { object, image }: { readonly object: LiveObject; readonly image: string },
): void {
  const { name, text: order, digest: orderDigest, credentials } = worker
  const hasGivenUp = run.kind === 'ended' && exitCodeOf(run.report) === 2
  const { job } = new WorkerJob(chart, 'worker', {
    ...{ name, image, work: ['migrate'], order, orderDigest, credentials },
    labels: { [workerLabel]: name },
    annotations: { [workerAnnotation]: object.metadata.name },
    isSuspended: isSuspended || hasGivenUp,
  })
  // The template of a Job is immutable, and a new image does not justify another run.
  initialOnly(job, 'spec.template')
  // The markers and the termination message report the outcome.
  if (run.kind === 'ended') readyWhen(job, () => true)
}
