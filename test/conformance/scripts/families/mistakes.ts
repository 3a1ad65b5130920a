// Scripts of requests with one or more mistakes.
import fc from 'fast-check'
import type { Json } from '../../../../src/base/json.ts'
import type { Ask, Query } from '../../server-under-test.ts'
import type { Step } from '../script.ts'
import { step } from './objects.ts'

const root = '/api/v1/namespaces/{{namespace}}'
const custom = '/apis/conformance.konverge.dev/v1/namespaces/{{namespace}}'

const path = fc.constantFrom(
  `${root}/configmaps`,
  `${root}/configmaps/a`,
  `${root}/configmaps/a/status`,
  `${root}/secrets`,
  `${root}/secrets/a`,
  `${root}/absents`,
  `${root}/configmaps/a/b/c`,
  `${custom}/widgets`,
  `${custom}/widgets/a`,
  `${custom}/widgets/a/status`,
  `${custom}/widgets/a/absent`,
  `${custom}/gadgets`,
  '/apis/absent.example.com/v1/things',
  '/apis/conformance.konverge.dev/v2/widgets',
  '/api/v2/configmaps',
  '/api/v1/configmaps',
  '/api/v1/namespaces/absent/configmaps',
  '/absent',
)

const body: fc.Arbitrary<Json | undefined> = fc.constantFrom<Json | undefined>(
  undefined,
  '',
  '{',
  '[]',
  '"text"',
  'null',
  {},
  { kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A_b' }, data: { 'a b': 'x' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 1 } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { 'a b': 'c d' } } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations: { '/x': '' }, finalizers: ['x'] } },
  { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: 'not base64!' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, type: 'kubernetes.io/tls' },
  { apiVersion: 'conformance.konverge.dev/v1', kind: 'Widget', metadata: { name: 'a' } },
  { apiVersion: 'conformance.konverge.dev/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 'big' } },
  {
    apiVersion: 'conformance.konverge.dev/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: { size: -1, color: 'pink' },
  },
  { apiVersion: 'conformance.konverge.dev/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { unknown: 1 } },
  { apiVersion: 'conformance.konverge.dev/v1', kind: 'Widget', metadata: { name: 'a' }, spec: [] },
  { apiVersion: 'conformance.konverge.dev/v1', kind: 'Widget', metadata: { name: '' } },
  { apiVersion: 'conformance.konverge.dev/v1', kind: 'Widget', metadata: 'a' },
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2"}}',
  '{"apiVersion":"conformance.konverge.dev/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}',
)

const query = fc.constantFrom<Query>(
  {},
  {},
  {},
  { dryRun: 'Some' },
  { fieldValidation: 'Strict' },
  { fieldManager: 'm' },
  { fieldManager: 'm', force: true },
  { limit: 'x' },
  { propagationPolicy: 'Sideways' },
  { pretty: 'maybe' },
)

const contentType = fc.constantFrom(
  'application/json',
  'application/json',
  'application/yaml',
  'text/plain',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'application/strategic-merge-patch+json',
)

const mistake: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom<Ask['method']>('GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path,
    query,
    body,
    contentType,
  )
  // Deleting a collection with an empty name would randomly hit objects of controllers, so no collection is deleted
  // here.
  .filter(([method, path]) => method !== 'DELETE' || /\/a$/.test(path))
  .map(([method, path, query, body, type]) =>
    method === 'GET'
      ? step({ method, path: path.endsWith('s') ? `${path}/a` : path, query })
      : step({ method, path, query, headers: { 'content-type': type }, body }),
  )

export const mistakeSteps = fc.array(mistake, { minLength: 30, maxLength: 40, size: 'max' })
