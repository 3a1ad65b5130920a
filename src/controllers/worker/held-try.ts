// What keeps a worker from beginning? Its pod has no image, no volume or no node, and says so; told as the worker would, if it could. Pure.
import type { LiveObject } from '../../index.ts'
import { podTroubleOf } from '../stateful-set/pod-trouble.ts'
import { isAtWork } from './job-words.ts'

export interface HeldTry {
  readonly outcome: 'Interrupted'
  readonly reason: string
  readonly message: string
}

/** Undefined: nothing does, or nothing that lasts. */
export function heldTry(pods: readonly LiveObject[], nowMs: number): HeldTry | undefined {
  const trouble = podTroubleOf(pods.filter(isAtWork), nowMs)
  return trouble && { outcome: 'Interrupted', ...trouble }
}
