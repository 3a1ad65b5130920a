// Metrics with authorization by the API server, over HTTPS, on the embedded server with RBAC.
import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededSecrets } from '../../src/base/random.ts'
import { rightsOf } from '../../src/generate/rbac.ts'
import { Namespace, ServiceAccount } from '../../src/index.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import type { KubeObject } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'
import { AccessReviewClient } from '../../src/telemetry/access-review-client.ts'
import { HttpServer, type MetricsAudience } from '../../src/telemetry/http-server.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { ownCertificate } from '../../src/telemetry/server-certificate.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { metricsAttempts } from '../adversary/attempts/metrics.ts'

const home = 'konverge-system'
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', scope: 'Cluster' } as const
const ClusterRole = defineResource({ ...rbac, kind: 'ClusterRole', plural: 'clusterroles' })
const ClusterRoleBinding = defineResource({ ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' })
const life = new AbortController()
const { signal } = life

describe('protected metrics', () => {
  let cluster: TestCluster
  let port: number
  const clock = new SimClock()
  let reviews = 0
  let isDown = false

  beforeAll(async () => {
    // The operator has exactly the derived rights.
    const { cluster: rights } = rightsOf({ name: 'konverge', controllers: [], protectsMetrics: true })
    cluster = await startCluster({ rights })
    await cluster.create(Namespace, { metadata: { name: home } })
    for (const name of ['scraper', 'stranger'])
      await cluster.create(ServiceAccount, { metadata: { name, namespace: home } })
    const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]
    await cluster.create(ClusterRole, { metadata: { name: 'metrics' }, rules })
    await cluster.create(ClusterRoleBinding, {
      metadata: { name: 'metrics' },
      roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'metrics' },
      subjects: [{ kind: 'ServiceAccount', name: 'scraper', namespace: home }],
    })
    const operator = cluster.clientOf('operator')
    const access = new AccessReviewClient({
      clock,
      client: {
        create: async (...args) => {
          reviews += 1
          if (isDown) throw new KubeError({ code: 'Unreachable', message: 'no answer' })
          return await operator.create(...args)
        },
      },
    })
    port = await listen({ kind: 'reviewed', access })
  })
  afterAll(async () => {
    life.abort()
    await cluster.stop()
  })

  async function listen(metrics: MetricsAudience): Promise<number> {
    const certificate = ownCertificate(['localhost'], seededSecrets(1), Date.now())
    const server = new HttpServer({
      ...{ clock, instruments: silentInstruments, exposition: new PrometheusMetrics() },
      ...{ metrics, certificate, port: 0 },
    })
    return (await server.start(signal)).port
  }

  async function tokenOf(name: string): Promise<string> {
    const ask = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name, namespace: home },
      spec: {},
    }
    const options = { fieldManager: 'test', subresource: 'token' } as const
    const made = await cluster.client.create(ServiceAccount, ask as KubeObject, options, signal)
    return (made.status as { readonly token: string }).token // Sound: by the schema of its kind.
  }

  function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      asked.on('error', reject).end()
    })
  }
  const withToken = (token: string) => ({ authorization: `Bearer ${token}` })

  it('serve users with the right to get /metrics', async () => {
    expect(await get('/metrics', withToken(await tokenOf('scraper')))).toBe(200)
  })

  it.each(metricsAttempts)('a neighbour $does: $sentence', async ({ path, headers, status }) => {
    expect(await get(path, headers(await tokenOf('stranger')))).toBe(status)
  })

  it('serve no probes on their port', async () => {
    for (const path of ['/healthz', '/readyz', '/']) expect(await get(path)).toBe(404)
  })

  it('cost the API server one review a minute for each token, and a flood of tokens only few', async () => {
    const token = await tokenOf('scraper')
    const ask = () => get('/metrics', withToken(token))
    await ask()
    const before = reviews
    await ask()
    expect(reviews).toBe(before)
    await clock.advance(61_000)
    await ask()
    expect(reviews).toBe(before + 2)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => get('/metrics', withToken(`forged-${at}`))))
    expect(answers.filter((status) => status === 429).length).toBeGreaterThan(25)
    expect(reviews).toBeLessThan(before + 30)
  })

  it('are not served while the API server does not answer', async () => {
    await clock.advance(61_000)
    isDown = true
    expect(await get('/metrics', withToken('anything'))).toBe(503)
    isDown = false
  })
})
