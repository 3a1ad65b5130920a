// Tap of fixtures that act as an API server: stored objects are output, and stored Secrets supply values to search for.
import type { KubeObject } from '../../src/object/object.ts'
import type { Taps } from './taps.ts'

/** Does nothing without vitest, as in a program that a test starts. */
export function noteStored(object: KubeObject): void {
  const taps = (globalThis as unknown as Readonly<Record<symbol, Taps | undefined>>)[Symbol.for('konverge.taps')]
  taps?.stored(object)
}
