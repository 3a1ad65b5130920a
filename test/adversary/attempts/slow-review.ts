// Migrations of one namespace whose review takes long. The operator reviews steps of all namespaces one after the
// other.
export interface SlowReviewAttempt {
  readonly attacker: 'tenant'
  readonly does: string
  readonly sentence: string
  /** SQL of the step of each Migration. */
  readonly sqlOf: (at: number) => string
  /** Replaces the text by a review that reaches the time limit on every machine. */
  readonly isEndless: boolean
}

export const slowReviewAttempts: readonly SlowReviewAttempt[] = [
  {
    attacker: 'tenant',
    does: 'delays Migrations of other namespaces by 12 Migrations with 64 KB of comment openers each',
    sentence:
      'The operator rejects each before the parser reads it (StepTooComplex). Other namespaces wait for at most one review.',
    sqlOf: (at) => `/*${at} ${'/*'.repeat(32_000)}`,
    isEndless: false,
  },
  {
    attacker: 'tenant',
    does: 'delays Migrations of other namespaces by 12 Migrations whose review exceeds its limit',
    sentence: 'Namespaces alternate: other namespaces wait for at most one review.',
    sqlOf: (at) => `SELECT ${at}`,
    isEndless: true,
  },
]
