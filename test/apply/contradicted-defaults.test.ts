import { expect, it } from 'vitest'
import { contradictedDefaults } from '../../src/apply/contradicted-defaults.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { live } from '../objects.ts'

const rollingUpdate = { maxSurge: '25%', maxUnavailable: '25%' }
const deployment = (strategy: JsonObject, owned: JsonObject = { 'f:replicas': {} }) =>
  live({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 1, strategy } },
    metadata: {
      managedFields: [{ manager: 'other', operation: 'Update', apiVersion: 'apps/v1', fieldsV1: { 'f:spec': owned } }],
    },
  })
const forbidden = (field: string) => ({ reason: 'FieldValueForbidden', message: 'Forbidden: …', field })
const byDefault = { type: 'RollingUpdate', rollingUpdate }
const path = 'spec.strategy.rollingUpdate'

it.each([
  [
    'that no manager owns is removed',
    { strategy: { type: 'Recreate' } },
    deployment(byDefault),
    path,
    [{ type: 'Recreate' }],
  ],
  [
    'that another manager owns stays',
    { strategy: { type: 'Recreate' } },
    deployment(byDefault, { 'f:strategy': { 'f:rollingUpdate': { 'f:maxSurge': {} } } }),
    path,
    [],
  ],
  [
    'in a value that another manager owns as one stays',
    { strategy: { type: 'Recreate' } },
    deployment(byDefault, { 'f:strategy': {} }),
    path,
    [],
  ],
  ['that is declared stays', { strategy: { type: 'Recreate', rollingUpdate } }, deployment(byDefault), path, []],
  ['below a map that is not declared stays', { replicas: 1 }, deployment(byDefault), path, []],
  [
    'that is not there is no default',
    { strategy: { type: 'Recreate' } },
    deployment({ type: 'RollingUpdate' }),
    path,
    [],
  ],
  ['in a list stays', { strategy: { type: 'Recreate' } }, deployment(byDefault), 'spec.ports[0].nodePort', []],
] as const)('a forbidden default %s', (_, spec, found, field, values) => {
  const desired = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec }
  const operations = contradictedDefaults(desired, found, [forbidden(field)])
  expect(operations).toEqual(values.map((value) => ({ op: 'replace', path: '/spec/strategy', value })))
})

it('a default that the API server does not forbid stays', () => {
  const desired = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { strategy: { type: 'x' } },
  }
  const causes = [{ reason: 'FieldValueInvalid', message: '', field: path }]
  expect(contradictedDefaults(desired, deployment(byDefault), causes)).toEqual([])
})
