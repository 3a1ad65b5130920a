// Finds what ended a worker before it could report: its memory limit, or its node. The result has the form of a
// worker's report. Pure.
import { type LiveObject, valueAt } from '../../index.ts'
import { recordOf, recordsAt } from '../stateful-set/replica.ts'

export interface KilledTry {
  readonly outcome: 'Interrupted'
  readonly reason: string
  readonly message: string
}

/** Undefined if the pod's status does not show it. */
export function killedTry(pod: LiveObject): KilledTry | undefined {
  const { name } = pod.metadata
  const containers = ['containerStatuses', 'initContainerStatuses'].flatMap((list) => recordsAt(pod, 'status', list))
  if (containers.some(({ state }) => recordOf(recordOf(state).terminated).reason === 'OOMKilled')) {
    const limit = recordOf(recordOf(recordsAt(pod, 'spec', 'containers')[0]?.resources).limits).memory
    const told = typeof limit === 'string' ? ` (its limit is ${limit})` : ''
    return {
      outcome: 'Interrupted',
      reason: 'OOMKilled',
      message: `pod ${name} was killed as it had no memory left${told}`,
    }
  }
  const reason = valueAt(pod, 'status', 'reason')
  if (valueAt(pod, 'status', 'phase') !== 'Failed' || typeof reason !== 'string' || reason === '') return undefined
  const said = valueAt(pod, 'status', 'message')
  const why = typeof said === 'string' && said !== '' ? `: ${said}` : ''
  return { outcome: 'Interrupted', reason, message: `pod ${name} was ended by its node${why}` }
}
