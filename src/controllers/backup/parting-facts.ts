// What has to be done before a Backup may go? Its artifact is removed, where the policy says so: by a worker, once nobody writes there any
// more. That it is gone is said by the status, and by nothing else. Pure.
import { isOf, Job, type LiveObject, valueAt } from '../../index.ts'
import { orderedFolder } from './work-order.ts'
import { areAtWork, type WorkRun, workRun } from './work-run.ts'
import { type BackupObject, discardWish, type WorkWish } from './work-wish.ts'

export interface PartingFacts {
  readonly kind: 'parting'
  readonly discard?: { readonly wish: WorkWish; readonly run: WorkRun; readonly isSuspended: boolean }
}

export interface PartingInput {
  readonly object: BackupObject
  readonly children: readonly LiveObject[]
  readonly pods: readonly LiveObject[]
  /** Which of the pods are a Job's. */
  readonly isPodOf: (pod: LiveObject, job: string) => boolean
  readonly nowMs: number
}

/** What a worker could not remove, as it is locked or the store does not answer, another one is asked to remove after so long. */
const againAfterMs = 3_600_000

export function partingFacts({ object, children, pods, isPodOf, nowMs }: PartingInput): PartingFacts {
  const { spec, status, metadata } = object
  const folder = status?.folder ?? folderIn(children)
  const isDone = status?.phase === 'Discarded'
  if (spec.artifactPolicy !== 'Delete' || folder === undefined || isDone) return { kind: 'parting' }
  const sinceMs = nowMs - Date.parse(metadata.deletionTimestamp ?? '')
  const wish = discardWish(object, folder, Math.max(0, Math.floor(sinceMs / againAfterMs)) || 0)
  const isJob = (child: LiveObject) => isOf(Job, child)
  const own = children.find((child) => isJob(child) && child.metadata.name === wish.name)
  const others = children.filter((child) => isJob(child) && child.metadata.name !== wish.name)
  const isBusy = others.length > 0 || areAtWork(pods.filter((pod) => !isPodOf(pod, wish.name)))
  const run = workRun(
    own,
    pods.filter((pod) => isPodOf(pod, wish.name)),
  )
  return { kind: 'parting', discard: { wish, run, isSuspended: isBusy || run.kind === 'failed' } }
}

/** Of a worker that was begun before the status could say where. */
function folderIn(children: readonly LiveObject[]): string | undefined {
  for (const child of children) {
    const text = child.kind === 'ConfigMap' ? valueAt(child, 'data', 'order.json') : undefined
    const folder = typeof text === 'string' ? orderedFolder(text) : undefined
    if (folder !== undefined) return folder
  }
  return undefined
}
