// Invariant: a review that exceeded its limits is repeated only for other steps, other rules, or on request of a user.
import { expect, it } from 'vitest'
import type { MigrationObject } from '../../../src/controllers/migration/desired-worker.ts'
import { rejectedReview, reviewDigest } from '../../../src/controllers/migration/rejected-review.ts'
import { sqlStep } from './steps.ts'

const digest = reviewDigest([sqlStep('SELECT 1')], { requiresVerify: false })
const rejection = { digest, reason: 'StepTooComplex', message: 'split it' }
const now = 'konverge.dev/reconcile-now'

function migration(
  annotations: Readonly<Record<string, string>>,
  status: NonNullable<MigrationObject['status']>,
): MigrationObject {
  const spec = { databaseRef: { name: 'shop' }, steps: [] } as unknown as MigrationObject['spec'] // The code does not read it.
  return {
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'Migration',
    metadata: { name: 'v1', uid: 'u', resourceVersion: '1', annotations },
    spec,
    status,
  }
}

it.each([
  ['is remembered for its steps', {}, { rejectedReview: rejection }, digest, rejection],
  ['is none without a record', {}, {}, digest, undefined],
  ['is none for other steps', {}, { rejectedReview: rejection }, 'other', undefined],
  ['is repeated on demand', { [now]: 'b' }, { rejectedReview: rejection }, digest, undefined],
  [
    'is repeated on a new demand',
    { [now]: 'b' },
    { rejectedReview: rejection, lastHandledReconcileAt: 'a' },
    digest,
    undefined,
  ],
  [
    'is repeated once for it',
    { [now]: 'b' },
    { rejectedReview: rejection, lastHandledReconcileAt: 'b' },
    digest,
    rejection,
  ],
] as const)('%s', (_, annotations, status, asked, expected) => {
  expect(rejectedReview(migration(annotations, status), asked)).toEqual(expected)
})

it.each([
  ['another text', [sqlStep('SELECT 2')], false],
  ['another verify query', [sqlStep('SELECT 1', { verify: { sql: 'SELECT 1', expect: '1' } })], false],
  ['another rule', [sqlStep('SELECT 1')], true],
] as const)('a review has another digest for %s', (_, steps, requiresVerify) => {
  expect(reviewDigest(steps, { requiresVerify })).not.toBe(digest)
})
