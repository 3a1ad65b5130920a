// Attempts that still succeed, with the defect that lets them. The list must be empty.

export interface Pending {
  /** Attacker and deed of the attempt. */
  readonly attempt: string
  readonly defect: string
}

export const pending: readonly Pending[] = [
  { attempt: 'owner login marks the shared database as made for a Database of his own, which adopts it', defect: '6' },
  {
    attempt: 'owner login makes the schema of the operator’s records, and the victim migrates the shared database',
    defect: '2',
  },
  { attempt: 'tenant gives a schedule that is searched for years', defect: '3' },
  { attempt: 'tenant gives a step of 990 KB of expressions', defect: '4' },
  { attempt: 'tenant sets the password of another Secret as the password of his role', defect: '8' },
  { attempt: 'hostile store gives an artifact without end', defect: '9' },
]
