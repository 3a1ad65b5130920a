import { expect, it } from 'vitest'
import { claimantsOf, otherClaimsOf, takenBackEvent } from '../../src/apply/other-claims.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'

const conflict = (...causes: readonly (readonly [string, string])[]) =>
  new KubeError({
    code: 'Conflict',
    message: 'Apply failed with conflicts',
    causes: causes.map(([message, field]) => ({ reason: 'FieldManagerConflict', message, field })),
  })

it('groups the fields by manager, in any description of its entry', () => {
  const claims = otherClaimsOf(
    conflict(
      ['conflict with "kubectl-edit" using v1', '.data.a'],
      ['conflict with "scaler" with subresource "scale" using apps/v1 at 2026-01-01T00:00:00Z', '.spec.replicas'],
      ['conflict with "kubectl-edit" using v1', '.metadata.labels.b'],
    ),
  )
  expect(claims).toEqual([
    { manager: 'kubectl-edit', shown: 'kubectl-edit', fields: ['data.a', 'metadata.labels.b'] },
    { manager: 'scaler', shown: 'scaler', fields: ['spec.replicas'] },
  ])
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }
  expect(takenBackEvent(object, claims).note).toMatch(
    /^ConfigMap default\/a: took back data\.a, metadata\.labels\.b from "kubectl-edit", spec\.replicas from "scaler";/,
  )
})

it.each([
  ['an outdated version', new KubeError({ code: 'Conflict', message: 'the object has been modified' })],
  ['another refusal', new KubeError({ code: 'Invalid', message: 'no' })],
  ['no error of the server', new Error('no')],
])('finds no claim in %s', (_, error) => {
  expect(otherClaimsOf(error)).toEqual([])
})

it.each([
  ['spec.replicas', ['hpa']],
  ['data', ['ann', 'bob']],
  ['data["a.b"]', ['bob']],
  ['data.a.deep', ['ann']],
  ['spec.replicasMax', []],
])('finds the claimants of %s', (path, managers) => {
  const claims = [
    { manager: 'hpa', fields: ['spec.replicas'] },
    { manager: 'ann', fields: ['data.a'] },
    { manager: 'bob', fields: ['data["a.b"]'] },
  ].map((claim) => ({ ...claim, shown: claim.manager }))
  expect(claimantsOf(path, claims)).toEqual(managers)
})
