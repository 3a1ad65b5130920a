// Migrations of one namespace whose review takes long. The operator reviews the steps of all namespaces, one review at a time.
export interface SlowReviewAttempt {
  readonly attacker: 'tenant'
  readonly does: string
  readonly sentence: string
  /** Of the step of each of his Migrations. */
  readonly sqlOf: (at: number) => string
  /** Stands for a text that runs into the limit of time, whatever the machine. */
  readonly isEndless: boolean
}

export const slowReviewAttempts: readonly SlowReviewAttempt[] = [
  {
    attacker: 'tenant',
    does: 'delays Migrations of other namespaces by 12 with 64 KB of comment openers each',
    sentence: 'Each is rejected before the parser reads it (StepTooComplex). Others wait for one review at most.',
    sqlOf: (at) => `/*${at} ${'/*'.repeat(32_000)}`,
    isEndless: false,
  },
  {
    attacker: 'tenant',
    does: 'delays Migrations of other namespaces by 12 whose review runs into its limit',
    sentence: 'Namespaces take turns: others wait for one review at most.',
    sqlOf: (at) => `SELECT ${at}`,
    isEndless: true,
  },
]
