// State of a server in the cluster. Its StatefulSet shows whether it serves; while the StatefulSet is recreated for a
// larger volume, the pod does. The pod's own problem explains why it does not serve. Pure.
import { type Child, childNamed, type Family, StatefulSet } from '../../index.ts'
import { hasCounted, type PodCounts } from '../stateful-set/pod-counts.ts'
import type { PodProblem } from '../stateful-set/pod-problem.ts'
import type { BlockingPod } from '../stateful-set/stuck-rollout.ts'
import type { VolumeGrowth } from '../stateful-set/volume-growth.ts'
import type { ServerConnection } from './server-connection.ts'

export interface ServerVolume extends VolumeGrowth {
  /** False before its creation, and while it is recreated for a larger volume. */
  readonly hasStatefulSet: boolean
  readonly pods: PodCounts
  /**
   * The pod's address is on this machine. No name resolves to it; only the address that the node reports leads there.
   */
  readonly isOnLocalNode: boolean
  /** There is no volume yet, and its StorageClass does not exist. */
  readonly lacksClass: boolean
  readonly trouble?: PodProblem
  /** Failed pod that the StatefulSet waits for before it continues. */
  readonly blockingPod?: BlockingPod
}

interface ReportedVolume {
  readonly reason: string
  readonly message: string
}

/**
 * Returns why there is no server to connect to; undefined if there is one. A pod serves even if its recreated
 * StatefulSet has not counted it yet.
 */
export function whyNotServing(
  family: Family<Child>,
  statefulSet: string,
  volume: ServerVolume | undefined,
): ReportedVolume | undefined {
  const server = childNamed(family, StatefulSet, statefulSet)
  if (server?.readiness.kind === 'ready') return undefined
  const isUncounted = volume !== undefined && volume.pods.readyReplicas > 0 && !hasCounted(server?.object, volume.pods)
  if (isUncounted) return undefined
  const { reason, message } = volume?.trouble ?? { reason: 'Creating', message: server?.readiness.message ?? '' }
  return {
    reason: reason === 'CrashLooping' ? 'ServerCrashLooping' : reason,
    message: `the server is not ready${message === '' ? '' : `: ${message}`}`,
  }
}

/** Returns why no worker with an immutable job spec can start yet; undefined if it would reach the server. */
export function whyNotReached(volume: ServerVolume, connection: ServerConnection): ReportedVolume | undefined {
  if (volume.pods.readyReplicas === 0) return { reason: 'Creating', message: 'the server is not ready' }
  const isTold = connection.kind === 'known' && connection.access.dial !== undefined
  if (isTold || !volume.isOnLocalNode) return undefined
  return { reason: 'Creating', message: 'the node has not told the address of the server yet' }
}
