import { beforeEach, describe, expect, it } from 'vitest'
import { AccessControl } from '../../../src/apiserver/access/access-control.ts'
import { issuer, signToken, type TokenClaims } from '../../../src/apiserver/access/service-account-token.ts'
import type { ApiRequest } from '../../../src/apiserver/exchange.ts'
import { ObjectLog } from '../../../src/apiserver/object-log.ts'
import { requestInfoOf } from '../../../src/apiserver/request-info.ts'
import type { User } from '../../../src/apiserver/user.ts'
import { SimClock } from '../../../src/testing/sim-clock.ts'

const key = 'a key'
let clock: SimClock
let log: ObjectLog
let access: AccessControl

beforeEach(() => {
  clock = new SimClock()
  log = new ObjectLog()
  const tokens = new Map([
    ['root', { name: 'root', groups: ['system:masters'] }],
    ['ann', { name: 'ann', groups: ['system:authenticated'] }],
  ])
  access = new AccessControl({ clock, log, tokens, tokenKey: key })
})

describe('access control', () => {
  it('treats a request without a token as anonymous, and rejects an unknown token', () => {
    expect(authenticated({}).name).toBe('system:anonymous')
    expect(() => authenticated({ authorization: 'Bearer who' })).toThrow('Unauthorized')
  })

  it('denies a request with the message of the real server', () => {
    const user = authenticated({ authorization: 'Bearer ann' })
    const info = requestInfoOf('GET', '/apis/apps/v1/namespaces/shop/deployments/web/status', new URLSearchParams())
    expect(() => access.authorize(user, info)).toThrow(
      'deployments.apps "web" is forbidden: User "ann" cannot get resource "deployments/status" in API group "apps" in the namespace "shop"',
    )
    expect(() => access.authorize(user, requestInfoOf('GET', '/metrics', new URLSearchParams()))).toThrow(
      'forbidden: User "ann" cannot get path "/metrics"',
    )
  })

  it('accepts a service account token until it expires or the account is recreated', async () => {
    account('first')
    const token = signToken(claims('first'), key)
    expect(access.userOf(token)).toMatchObject({
      name: 'system:serviceaccount:shop:bot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    })
    expect(access.userOf(signToken(claims('second'), key))).toBeUndefined()
    expect(access.userOf(signToken({ ...claims('first'), audiences: ['others'] }, key))).toBeUndefined()
    expect(access.userOf(signToken(claims('first'), 'another key'))).toBeUndefined()
    await clock.advance(3_600_000)
    expect(access.userOf(token)).toBeUndefined()
  })

  it('accepts a bound token while its bound object exists', () => {
    account('first')
    log.commit({ shelf: 'nodes', namespace: '', name: 'n1' }, 'created', () => ({ metadata: { name: 'n1', uid: 'a' } }))
    const bound = (uid: string) => signToken({ ...claims('first'), boundTo: { kind: 'node', name: 'n1', uid } }, key)
    expect(access.userOf(bound('a'))?.extra).toEqual({
      'authentication.kubernetes.io/credential-id': ['JTI=id'],
      'authentication.kubernetes.io/node-name': ['n1'],
      'authentication.kubernetes.io/node-uid': ['a'],
    })
    expect(access.userOf(bound('b'))).toBeUndefined()
  })

  it('rejects impersonation without the right to impersonate', () => {
    const headers = { authorization: 'Bearer ann', 'impersonate-user': 'ben', 'impersonate-group': 'staff' }
    expect(() => authenticated(headers)).toThrow('forbidden: User "ann" cannot impersonate-on:user-info:get path "/"')
    expect(authenticated({ ...headers, authorization: 'Bearer root' })).toEqual({
      name: 'ben',
      groups: ['staff', 'system:authenticated'],
    })
  })

  it('gives an impersonated service account its groups', () => {
    const headers = { authorization: 'Bearer root', 'impersonate-user': 'system:serviceaccount:shop:bot' }
    expect(authenticated(headers).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:shop',
      'system:authenticated',
    ])
  })
})

function authenticated(headers: Readonly<Record<string, string>>): User {
  const query = new URLSearchParams()
  const request: ApiRequest = { method: 'GET', path: '/', query, header: (name) => headers[name], body: '' }
  return access.authenticate(request, requestInfoOf('GET', '/', query))
}

function account(uid: string): void {
  const place = { shelf: 'serviceaccounts', namespace: 'shop', name: 'bot' }
  log.commit(place, 'created', () => ({ metadata: { name: 'bot', namespace: 'shop', uid } }))
}

function claims(uid: string): TokenClaims {
  const issuedAt = clock.now() / 1_000
  return {
    namespace: 'shop',
    serviceAccount: { name: 'bot', uid },
    audiences: [issuer],
    issuedAt,
    expiresAt: issuedAt + 3_600,
    id: 'id',
    boundTo: undefined,
  }
}
