import { beforeEach, describe, expect, it } from 'vitest'
import { AccessControl } from '../../../src/apiserver/access/access-control.ts'
import { signToken, type TokenClaims } from '../../../src/apiserver/access/service-account-token.ts'
import type { ApiRequest } from '../../../src/apiserver/exchange.ts'
import { ObjectLog } from '../../../src/apiserver/object-log.ts'
import { requestInfoOf } from '../../../src/apiserver/request-info.ts'
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
  it('takes a request without a token for anonymous, and one with an unknown token for nobody', () => {
    expect(access.authenticate(request({})).name).toBe('system:anonymous')
    expect(() => access.authenticate(request({ authorization: 'Bearer who' }))).toThrow('Unauthorized')
  })

  it('says who may not do what, in the words of the real server', () => {
    const user = access.authenticate(request({ authorization: 'Bearer ann' }))
    const info = requestInfoOf('GET', '/apis/apps/v1/namespaces/shop/deployments/web/status', new URLSearchParams())
    expect(() => access.authorize(user, info)).toThrow(
      'deployments.apps "web" is forbidden: User "ann" cannot get resource "deployments/status" in API group "apps" in the namespace "shop"',
    )
    expect(() => access.authorize(user, requestInfoOf('GET', '/metrics', new URLSearchParams()))).toThrow(
      'forbidden: User "ann" cannot get path "/metrics"',
    )
  })

  it('knows a service account by its token, until the token expires or the account is made anew', async () => {
    account('first')
    const token = signToken(claims('first'), key)
    expect(access.userOf(token)).toMatchObject({
      name: 'system:serviceaccount:shop:bot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    })
    expect(access.userOf(signToken(claims('second'), key))).toBeUndefined()
    expect(access.userOf(signToken(claims('first'), 'another key'))).toBeUndefined()
    await clock.advance(3_600_000)
    expect(access.userOf(token)).toBeUndefined()
  })

  it('lets nobody become somebody else without the right to', () => {
    const headers = { authorization: 'Bearer ann', 'impersonate-user': 'ben', 'impersonate-group': 'staff' }
    expect(() => access.authenticate(request(headers))).toThrow(
      'users "ben" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    )
    expect(access.authenticate(request({ ...headers, authorization: 'Bearer root' }))).toEqual({
      name: 'ben',
      groups: ['staff', 'system:authenticated'],
    })
  })

  it('gives an impersonated service account its groups', () => {
    const headers = { authorization: 'Bearer root', 'impersonate-user': 'system:serviceaccount:shop:bot' }
    expect(access.authenticate(request(headers)).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:shop',
      'system:authenticated',
    ])
  })
})

function request(headers: Readonly<Record<string, string>>): ApiRequest {
  return { method: 'GET', path: '/', query: new URLSearchParams(), header: (name) => headers[name], body: '' }
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
    audiences: [],
    issuedAt,
    expiresAt: issuedAt + 3_600,
    id: 'id',
    boundTo: undefined,
  }
}
