// Attempts that still succeed, with the responsible defect. The list must be empty.

export interface Pending {
  /** Attacker and `does` of the attempt. */
  readonly attempt: string
  readonly defect: string
}

export const pending: readonly Pending[] = []
