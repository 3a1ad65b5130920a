// Events about an object, besides its conditions.

/** An Event about an object that people see with `kubectl describe`. Never a secret (I11). */
export interface EventReport {
  readonly type: 'Normal' | 'Warning'
  /** One CamelCase word. */
  readonly reason: string
  /** One CamelCase word for the action of the operator. */
  readonly action: string
  readonly note: string
}
