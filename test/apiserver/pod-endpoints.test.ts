import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AskedCluster } from './asked-cluster.ts'

const pods = '/api/v1/namespaces/default/pods'
const accounts = '/api/v1/namespaces/default/serviceaccounts'
let asked: AskedCluster

beforeEach(async () => {
  asked = new AskedCluster()
  await asked.clock.advance(1_000)
  const spec = { serviceAccountName: 'default', containers: [{ name: 'main', image: 'nginx' }] }
  await asked.create(pods, { metadata: { name: 'web' }, spec })
})

afterEach(() => asked.stop())

// Expected answers come from a real server of version 1.36.
describe('a binding', () => {
  const bindTo = (target: object, name = 'web') =>
    asked.create(`${pods}/${name}/binding`, { metadata: { name: 'web' }, target })

  it('sets the node of a pod, once', async () => {
    expect(await bindTo({ kind: 'Node', name: 'one' })).toEqual({
      status: 201,
      body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    })
    const { body } = await asked.send('GET', `${pods}/web`)
    expect(body.spec.nodeName).toBe('one')
    expect(body.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True', lastProbeTime: null }])
    const managers = body.metadata.managedFields.map(({ manager }: { manager: string }) => manager)
    expect(managers).not.toContain('kube-apiserver')
    expect(await bindTo({ kind: 'Node', name: 'one' })).toMatchObject({
      status: 409,
      body: {
        message: 'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "one"',
        details: { name: 'web', kind: 'pods/binding' },
      },
    })
  })

  it('must name a node, and the pod of its path', async () => {
    expect(await bindTo({ kind: 'Nod', name: '' })).toMatchObject({
      status: 500,
      body: {
        message:
          '[target.kind: Unsupported value: "Nod": supported values: "Node", "<empty>", target.name: Required value]',
      },
    })
    expect(await bindTo({ kind: 'Node', name: 'one' }, 'other')).toMatchObject({
      status: 400,
      body: { message: 'name in URL does not match name in Binding object' },
    })
  })
})

describe('an eviction', () => {
  const evict = (name = 'web') => asked.create(`${pods}/${name}/eviction`, { metadata: { name } })

  it('deletes the pod when no budget forbids it', async () => {
    expect((await evict()).status).toBe(201)
    expect((await asked.send('GET', `${pods}/web`)).status).toBe(404)
    expect((await evict()).status).toBe(404)
  })

  it('is rejected by a budget that no controller has processed', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    const type = 'application/merge-patch+json'
    await asked.send('PATCH', `${pods}/web/status`, { status: { phase: 'Running' } }, { type })
    await asked.create(budgets, { metadata: { name: 'all' }, spec: { maxUnavailable: 0, selector: {} } })
    expect(await evict()).toMatchObject({ status: 429, body: { reason: 'TooManyRequests' } })
  })
})

describe('a token', () => {
  const ask = (spec: object, name = 'default') => asked.create(`${accounts}/${name}/token`, { spec })

  it('is issued for a service account, and identifies it', async () => {
    const { status, body } = await ask({ expirationSeconds: 900 })
    expect(status).toBe(201)
    expect(body.spec.audiences).toEqual(['https://kubernetes.default.svc.cluster.local'])
    const spec = { token: body.status.token }
    const review = await asked.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec })
    expect(review.body.status.user.username).toBe('system:serviceaccount:default:default')
  })

  it('expires with its bound pod', async () => {
    const { body, status } = await ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web' } })
    expect([status, body.message]).toEqual([201, undefined])
    const review = () =>
      asked.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: body.status.token } })
    expect((await review()).body.status.authenticated).toBe(true)
    await asked.send('DELETE', `${pods}/web`)
    expect((await review()).body.status.authenticated).toBeUndefined()
  })

  it('is rejected with the message of the real server', async () => {
    expect((await ask({ expirationSeconds: 5 })).body.message).toBe(
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    )
    const bound = (kind: string, name: string) => ask({ boundObjectRef: { kind, apiVersion: 'v1', name } })
    expect((await bound('Pog', 'zz')).body.message).toBe('cannot bind token to object of type /v1, Kind=Pog')
    expect((await bound('Pod', 'zz')).body.message).toBe('pods "zz" not found')
    expect((await ask({}, 'nope')).body.message).toBe('serviceaccounts "nope" not found')
  })
})
