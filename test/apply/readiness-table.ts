// Tables of readiness verdicts, one test per row, for all readiness tests.
import { describe, expect, it } from 'vitest'
import { type Readiness, type ReadinessOptions, readinessOf } from '../../src/apply/readiness.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'

export interface ReadinessCase {
  readonly when: string
  readonly object: Partial<KubeObject>
  readonly options?: ReadinessOptions
  readonly kind: Readiness['kind']
  readonly reason?: string
  readonly says?: RegExp
}

/** Every object of the tables has generation 2. */
export const seen = { observedGeneration: 2 }

export function check(apiVersion: string, kind: string, cases: readonly ReadinessCase[]): void {
  describe(kind, () => {
    it.each(cases)('is $kind when $when', ({ object, options, kind: expected, reason, says }) => {
      const metadata = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 2, ...object.metadata }
      const readiness = readinessOf({ apiVersion, kind, ...object, metadata } as LiveObject, options)
      expect(readiness).toMatchObject({ kind: expected, ...(reason === undefined ? {} : { reason }) })
      expect(readiness.message).toMatch(says ?? /./)
    })
  })
}

export function condition(type: string, status: string, reason = `${type}Reason`, message = `${type} message`) {
  return { type, status, reason, message }
}
