// What is worth telling people about an object, besides its conditions?

/** Something people should see with `kubectl describe`. Never a secret (I11). */
export interface EventReport {
  readonly type: 'Normal' | 'Warning'
  /** One CamelCase word. */
  readonly reason: string
  /** One CamelCase word: what was being done. */
  readonly action: string
  readonly note: string
}
