import { describe, expect, it } from 'vitest'
import { explainForbidden } from '../../src/kube/forbidden.ts'
import { isKubeError, kubeErrorOf } from '../../src/kube/kube-errors.ts'

const attempt = 'apply StatefulSet default/store'

describe('kubeErrorOf', () => {
  it('names the fields of an apply that the schema lacks, in one order', () => {
    const failed = 'failed to create typed patch object (/p; apps/v1, Kind=Deployment): '
    const known = 'field not declared in schema'
    const both = `${failed}errors:\n  .spec.template.spec.containers[name="a b"].imagePolicy: ${known}\n  .spec.replica: ${known}`
    const error = kubeErrorOf({ attempt, httpStatus: 500, body: { message: both } })
    expect(error).toMatchObject({
      code: 'UnknownField',
      message: expect.stringMatching(
        'does not know spec.replica, spec.template.spec.containers\\[name="a b"\\].imagePolicy; correct',
      ),
    })
    expect(error.causes.map(({ field }) => field)).toHaveLength(2)
    const one = kubeErrorOf({ attempt, httpStatus: 500, body: { message: `${failed}.spec.replica: ${known}` } })
    expect(one.causes).toMatchObject([{ reason: 'UnknownField', field: 'spec.replica' }])
    const mistyped = { message: `${failed}.spec.replicas: expected numeric (int or float), got string` }
    expect(kubeErrorOf({ attempt, httpStatus: 500, body: mistyped })).toMatchObject({ code: 'Invalid' })
  })

  it.each([
    [400, {}, 'BadRequest'],
    [401, {}, 'Unauthorized'],
    [403, {}, 'Forbidden'],
    [403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }, 'NamespaceTerminating'],
    [404, { details: { name: 'store', kind: 'statefulsets' } }, 'NotFound'],
    [404, { details: {} }, 'ResourceNotFound'],
    [404, undefined, 'ResourceNotFound'],
    [405, {}, 'MethodNotAllowed'],
    [407, undefined, 'ServiceUnavailable'],
    [408, undefined, 'Timeout'],
    [409, { reason: 'AlreadyExists' }, 'AlreadyExists'],
    [409, { reason: 'Conflict' }, 'Conflict'],
    [410, { reason: 'Expired' }, 'Expired'],
    [410, { reason: 'Gone' }, 'Expired'],
    [413, {}, 'RequestEntityTooLarge'],
    [415, {}, 'UnsupportedMediaType'],
    [418, {}, 'BadRequest'],
    [421, undefined, 'ServiceUnavailable'],
    [422, {}, 'Invalid'],
    [425, undefined, 'ServiceUnavailable'],
    [429, {}, 'TooManyRequests'],
    [500, {}, 'ServerError'],
    [502, undefined, 'ServerError'],
    [503, {}, 'ServiceUnavailable'],
    [504, {}, 'Timeout'],
    [302, undefined, 'ServiceUnavailable'],
  ] as const)('turns HTTP %i with %j into %s, which may pass', (httpStatus, body, code) => {
    const error = kubeErrorOf({ attempt, httpStatus, body })
    expect(error).toMatchObject({ code, remedy: 'retry', httpStatus })
    expect(isKubeError(error, code)).toBe(true)
  })

  it("begins with the call and continues with the server's message", () => {
    const body = { message: 'spec.replicas: Invalid value: -1' }
    expect(kubeErrorOf({ attempt, httpStatus: 422, body }).message).toBe(`${attempt}: spec.replicas: Invalid value: -1`)
    expect(kubeErrorOf({ attempt, httpStatus: 502, body: undefined }).message).toBe(
      `${attempt}: the API server answered with HTTP 502`,
    )
  })

  it('carries the causes and skips malformed ones', () => {
    const causes = [
      { reason: 'FieldValueInvalid', message: 'must be positive', field: 'spec.replicas' },
      'nonsense',
      {},
    ]
    expect(kubeErrorOf({ attempt, httpStatus: 422, body: { details: { causes } } }).causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'must be positive', field: 'spec.replicas' },
      { reason: '', message: '', field: '' },
    ])
  })

  it.each([
    ['the header', 7, { details: { retryAfterSeconds: 3 } }, 7_000],
    ['the Status, without a header', undefined, { details: { retryAfterSeconds: 3 } }, 3_000],
    ['neither', undefined, {}, undefined],
    ['the header, up to 300 s', 99_999_999, {}, 300_000],
    ['the Status, up to 300 s', undefined, { details: { retryAfterSeconds: 1e300 } }, 300_000],
    ['a Status that asks for a time in the past', undefined, { details: { retryAfterSeconds: -5 } }, 0],
  ])('takes the requested wait from %s', (_what, retryAfterSeconds, body, retryAfterMs) => {
    expect(kubeErrorOf({ attempt, httpStatus: 429, body, retryAfterSeconds }).retryAfterMs).toBe(retryAfterMs)
  })

  it('names the user, the missing right and the namespace', () => {
    const message =
      'statefulsets.apps "store" is forbidden: User "system:serviceaccount:ops:konverge" cannot patch resource "statefulsets" in API group "apps" in the namespace "default"'
    expect(kubeErrorOf({ attempt, httpStatus: 403, body: { message } }).message).toBe(
      `${attempt}: user "system:serviceaccount:ops:konverge" may not patch statefulsets.apps in namespace default; bind a Role or ClusterRole to it that allows "patch" on "statefulsets" of API group "apps"`,
    )
  })
})

describe('explainForbidden', () => {
  it.each([
    [
      'at the cluster scope',
      'namespaces is forbidden: User "alice" cannot list resource "namespaces" in API group "" at the cluster scope',
      'user "alice" may not list namespaces at the cluster scope; bind a ClusterRole to it that allows "list" on "namespaces" of API group ""',
    ],
    [
      'with a reason of the authorizer',
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "a": RBAC: clusterrole "x" not found',
      'user "alice" may not list pods in namespace a (RBAC: clusterrole "x" not found); bind a Role or ClusterRole to it that allows "list" on "pods" of API group ""',
    ],
  ])('explains a rejection %s', (_what, message, wanted) => {
    expect(explainForbidden(message)).toBe(wanted)
  })

  it.each([
    'pods "a" is forbidden: exceeded quota: compute, requested: pods=1',
    'unable to create new content in namespace a because it is being terminated',
    'forbidden: User "alice" cannot get path "/version"',
  ])('leaves other rejections unchanged: %s', (message) => {
    expect(explainForbidden(message)).toBeUndefined()
    expect(kubeErrorOf({ attempt, httpStatus: 403, body: { message } }).message).toBe(`${attempt}: ${message}`)
  })
})
