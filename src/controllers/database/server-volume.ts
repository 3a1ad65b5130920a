// Does a server in the cluster serve? Its StatefulSet says so, and while that is made anew for a larger volume its pod does. Pure.
import { type Child, isOf, StatefulSet } from '../../index.ts'
import { hasCounted, type PodCounts } from '../stateful-set/pod-counts.ts'
import type { VolumeGrowth } from '../stateful-set/volume-growth.ts'

export interface ServerVolume extends VolumeGrowth {
  /** Made, and not gone again for its volume to grow. */
  readonly hasStatefulSet: boolean
  readonly pods: PodCounts
}

/** Why there is nothing to connect to yet; undefined: there is. A pod serves although its StatefulSet, made anew, does not know it yet. */
export function whyNotServing(children: readonly Child[], volume: ServerVolume | undefined): string | undefined {
  const server = children.find((child) => isOf(StatefulSet, child.object))
  if (server?.readiness.kind === 'ready') return undefined
  const isUncounted = volume !== undefined && volume.pods.readyReplicas > 0 && !hasCounted(server?.object, volume.pods)
  if (isUncounted) return undefined
  const message = server?.readiness.message ?? ''
  return `the server is not ready${message === '' ? '' : `: ${message}`}`
}
