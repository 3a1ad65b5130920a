// Does a server in the cluster serve? Its StatefulSet says so, and while that is made anew for a larger volume its pod does; and why it
// does not is in its pod's own words. Pure.
import { type Child, childNamed, type Family, StatefulSet } from '../../index.ts'
import { hasCounted, type PodCounts } from '../stateful-set/pod-counts.ts'
import type { PodProblem } from '../stateful-set/pod-problem.ts'
import type { BlockingPod } from '../stateful-set/stuck-rollout.ts'
import type { VolumeGrowth } from '../stateful-set/volume-growth.ts'
import type { ServerConnection } from './server-connection.ts'

export interface ServerVolume extends VolumeGrowth {
  /** Made, and not gone again for its volume to grow. */
  readonly hasStatefulSet: boolean
  readonly pods: PodCounts
  /** Its pod has an address that leads to this very machine: no name leads there, but the address that its node tells. */
  readonly isOnLocalNode: boolean
  /** There is no volume yet, and the class that it is to be of is not there. */
  readonly lacksClass: boolean
  readonly trouble?: PodProblem
  /** What the StatefulSet waits for before it goes on, if that has failed. */
  readonly blockingPod?: BlockingPod
}

interface ReportedVolume {
  readonly reason: string
  readonly message: string
}

/** Why there is nothing to connect to yet; undefined: there is. A pod serves although its StatefulSet, made anew, does not know it yet. */
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

/** Why nobody is to be sent to it yet with an order that stays as it is; undefined: he would get there. */
export function whyNotReached(volume: ServerVolume, connection: ServerConnection): ReportedVolume | undefined {
  if (volume.pods.readyReplicas === 0) return { reason: 'Creating', message: 'the server is not ready' }
  const isTold = connection.kind === 'known' && connection.access.dial !== undefined
  if (isTold || !volume.isOnLocalNode) return undefined
  return { reason: 'Creating', message: 'the node has not told the address of the server yet' }
}
