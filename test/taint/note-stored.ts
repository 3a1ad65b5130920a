// The tap of fixtures that play an API server: what they store is output, and Secrets give their values.
import type { KubeObject } from '../../src/object/object.ts'
import type { Taps } from './taps.ts'

/** Does nothing where no vitest is, as in a program that a test starts. */
export function noteStored(object: KubeObject): void {
  const taps = (globalThis as unknown as Readonly<Record<symbol, Taps | undefined>>)[Symbol.for('konverge.taps')]
  taps?.stored(object)
}
