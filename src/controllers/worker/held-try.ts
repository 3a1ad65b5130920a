// What keeps a worker from beginning? Its pod has no image, no volume or no node, and says so; told as the worker would, if it could. Pure.
import { type LiveObject, valueAt } from '../../index.ts'
import { podTroubleOf } from '../stateful-set/pod-trouble.ts'

export interface HeldTry {
  readonly outcome: 'Interrupted'
  readonly reason: string
  readonly message: string
}

/** Undefined: nothing does, or nothing that lasts. */
export function heldTry(pods: readonly LiveObject[], nowMs: number): HeldTry | undefined {
  const due = pods.filter((pod) => !['Succeeded', 'Failed'].includes(String(valueAt(pod, 'status', 'phase'))))
  const trouble = podTroubleOf(due, nowMs)
  return trouble && { outcome: 'Interrupted', ...trouble }
}
