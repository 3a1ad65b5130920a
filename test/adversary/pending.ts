// Attempts that still succeed, with the defect that lets them. The list must be empty.

export interface Pending {
  /** Attacker and deed of the attempt. */
  readonly attempt: string
  readonly defect: string
}

export const pending: readonly Pending[] = []
