// Job that creates the schema of a target server, and its state. A worker does it, because other roles wrote the
// schema's code. The Job is declared during its step. Pure.
import type { Chart } from 'cdk8s'
import { databaseSelectorLabels, WorkerJob, type WorkerJobProps } from '../../../../constructs/index.ts'
import { initialOnly, isOf, Job, type LiveObject, readyWhen } from '../../../index.ts'
import type { ServerAccess } from '../../engines/server-access.ts'
import { authorityKey, credentialKeys, orderDigest } from '../../migration/worker-order.ts'
import { exitCodeOf } from '../../migration/worker-report.ts'
import type { WorkerRun } from '../../migration/worker-run.ts'
import type { SideOrder } from '../../upgrade/new-side.ts'
import type { OrderedServer, PrepareOrder } from './prepare-order.ts'

export interface PrepareJob extends Pick<WorkerJobProps, 'name' | 'order' | 'orderDigest' | 'credentials'> {
  /** Labels of its pods. */
  readonly labels: Readonly<Record<string, string>>
}

export interface PrepareAsk {
  readonly side: SideOrder
  readonly old: ServerAccess
  readonly next: ServerAccess
  /** Administrator's Secret of both servers. */
  readonly adminSecret: string
}

const folder = 'server'
/** The hash after it has 9 characters, and a pod's suffix 6 more. */
const maxStem = 40

export function prepareJob({ side, old, next, adminSecret }: PrepareAsk): PrepareJob {
  const content: PrepareOrder = { format: 1, side, old: ordered(old), next: ordered(next) }
  const order = JSON.stringify(content)
  const digest = orderDigest(order)
  const keys = [...credentialKeys, ...(old.ca === undefined ? [] : [authorityKey])]
  const { name } = side.caller
  return {
    name: `${name.slice(0, maxStem)}-prepare-${digest.slice(0, 8)}`,
    order,
    orderDigest: digest,
    credentials: [{ folder, files: keys.map((key) => ({ secret: adminSecret, key, file: key })) }],
    labels: labelsOf(name),
  }
}

/** A started Job is not abandoned for resources that start later. */
export function isPreparing(child: LiveObject, database: string): boolean {
  const labels = Object.entries(labelsOf(database))
  return isOf(Job, child) && labels.every(([key, value]) => child.metadata.labels?.[key] === value)
}

/** Labels that select no pod of a server, and whose watch leads to the same Database. */
function labelsOf(database: string): Readonly<Record<string, string>> {
  return databaseSelectorLabels(`${database}.prepare`)
}

export function declarePrepareJob(
  chart: Chart,
  { job, run, image }: { readonly job: PrepareJob; readonly run: WorkerRun; readonly image: string },
): void {
  const { labels, ...props } = job
  const hasGivenUp = run.kind === 'ended' && exitCodeOf(run.report) === 2
  const { job: child } = new WorkerJob(chart, 'prepare', {
    ...{ ...props, labels, image, work: ['prepare'], scratchLimit: '1Ti', retries: 3, isSuspended: hasGivenUp },
  })
  // A Job's template is immutable, and another image is no reason for another run.
  initialOnly(child, 'spec.template')
  readyWhen(child, () => true)
}

function ordered({ tls, maintenanceDatabase, ca, dial }: ServerAccess): OrderedServer {
  return { folder, tls, maintenanceDatabase, hasAuthority: ca !== undefined, ...(dial === undefined ? {} : { dial }) }
}
