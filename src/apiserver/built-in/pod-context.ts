// In which surroundings is the spec of a pod judged? As a pod's own, or as a template's.

import type { Struct } from './field-walk.ts'

export interface PodContext {
  /** A real pod, not the template of one: what would be defaulted later has to be there. */
  readonly isPod: boolean
  /** The name of the real pod: claims are named after it. */
  readonly podName: string | undefined
  /** The spec before an update: what it has already may stay. */
  readonly oldSpec: Struct
}

export function templateContext(oldSpec: Struct): PodContext {
  return { isPod: false, podName: undefined, oldSpec }
}
