// Reading of requests: verb, resource and object of each HTTP request.
import { describe, expect, it } from 'vitest'
import { apiCallOf, describeCall, isWrite } from './api-call.ts'

const json = 'application/json'
const cases: readonly (readonly [method: string, path: string, contentType: string, said: string])[] = [
  ['GET', '/version', json, 'other'],
  ['GET', '/api/v1', json, 'other'],
  ['GET', '/api/v1/namespaces/shop', json, 'get namespaces shop'],
  ['GET', '/api/v1/namespaces/shop/pods?limit=500', json, 'list pods shop'],
  ['GET', '/api/v1/pods?watch=true&sendInitialEvents=true', json, 'watch pods'],
  ['GET', '/apis/apps/v1/namespaces/shop/statefulsets/cart', json, 'get statefulsets shop/cart'],
  ['POST', '/apis/events.k8s.io/v1/namespaces/shop/events', json, 'create events shop'],
  [
    'PATCH',
    '/apis/apps/v1/namespaces/shop/statefulsets/cart?force=true',
    'application/apply-patch+yaml',
    'apply statefulsets shop/cart',
  ],
  [
    'PATCH',
    '/apis/data.konverge.dev/v1alpha1/namespaces/shop/replicatedkvstores/cart/status',
    'application/merge-patch+json',
    'patch replicatedkvstores/status shop/cart',
  ],
  [
    'DELETE',
    '/apis/policy/v1/namespaces/shop/poddisruptionbudgets/cart',
    json,
    'delete poddisruptionbudgets shop/cart',
  ],
  ['PUT', '/api/v1/namespaces/shop/status', json, 'update namespaces/status shop'],
]

describe('a call', () => {
  it.each(cases)('%s %s', (method, path, contentType, said) => {
    expect(describeCall(apiCallOf({ method, path, contentType }))).toBe(said)
  })

  it('is a write when it requests a change', () => {
    const writes = cases.filter(([method, path, contentType]) => isWrite(apiCallOf({ method, path, contentType })))
    expect(writes.map(([method]) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'DELETE', 'PUT'])
  })
})
