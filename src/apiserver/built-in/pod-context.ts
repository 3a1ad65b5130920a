// In which surroundings is the spec of a pod judged? As a pod's own, or as a template's.

export interface PodContext {
  /** A real pod, not the template of one: what would be defaulted later has to be there. */
  readonly isPod: boolean
  /** The name of the real pod: claims are named after it. */
  readonly podName: string | undefined
}

export const templateContext: PodContext = { isPod: false, podName: undefined }
