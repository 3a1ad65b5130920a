// Context in which a pod spec is validated: a pod's own, or a template's.

import type { Struct } from './field-walk.ts'

export interface PodContext {
  /** True for a real pod, not for a template: fields with later defaults must be present. */
  readonly isPod: boolean
  /** Name of the real pod; the names of its claims contain it. */
  readonly podName: string | undefined
  /** Spec before the update; its values may stay. */
  readonly oldSpec: Struct
}

export function templateContext(oldSpec: Struct): PodContext {
  return { isPod: false, podName: undefined, oldSpec }
}
