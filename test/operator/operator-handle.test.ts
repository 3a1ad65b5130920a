// Handle of an operator in a program: start, status, enqueue and stop, on the API server of this package over HTTPS.
import { request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestSecure } from 'node:https'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemSecrets } from '../../src/base/random.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import {
  ConfigMap,
  type Controller,
  defineController,
  healthText,
  type OperatorHandle,
  type RunOperatorOptions,
  Secret,
  Service,
  startOperator,
} from '../../src/index.ts'
import { ownCertificate } from '../../src/telemetry/server-certificate.ts'

let server: EmbeddedServer
const started: OperatorHandle[] = []

beforeAll(async () => {
  server = await startEmbeddedServer({ host: '127.0.0.1', port: 0, controllers: [], onFault: () => {} })
})
afterAll(async () => {
  await Promise.all(started.map((operator) => operator.stop()))
  await server.stop()
})

/** Observations in order; each resolves a pending wait. */
class Looks {
  readonly #names: string[] = []
  #wake = Promise.withResolvers<void>()

  readonly observe = async ({ object }: { object: { metadata: { name: string } } }) => {
    this.#names.push(object.metadata.name)
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  async next(): Promise<string> {
    if (this.#names.length === 0) await this.#wake.promise
    return this.#names.shift() ?? 'none'
  }
}

function start(name: string, ...controllers: readonly Controller[]): Promise<OperatorHandle> {
  return startWith({ name, controllers })
}

async function startWith(options: Partial<RunOperatorOptions>): Promise<OperatorHandle> {
  const operator = await startOperator({
    ...{ name: 'pages', controllers: [], environment: {}, kubeconfig: server.kubeconfigPath, userAgent: 'test/1.0.0' },
    output: { write: () => {} },
    http: 'off',
    ...options,
  })
  started.push(operator)
  return operator
}

/** Returns the response of a page. */
function get(url: string, options: RequestOptions = {}): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https') ? requestSecure : requestPlain
    const asked = request(url, options, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    asked.on('error', reject).end()
  })
}

const pages = { labelSelector: 'of=pages', owns: [], desired: () => {} }

describe('the handle of an operator', () => {
  it('enqueues a resource, reads and writes, and stops', async () => {
    const looks = new Looks()
    const operator = await start('pages', defineController(ConfigMap, { ...pages, observe: looks.observe }))
    const metadata = { namespace: 'default', name: 'home', labels: { of: 'pages' } }
    const made = await operator.client.create(ConfigMap, { metadata, data: { text: 'hello' } })
    expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['pages-client'])
    expect(await looks.next()).toBe('home')
    operator.enqueue(ConfigMap, { namespace: 'default', name: 'home' })
    expect(await looks.next()).toBe('home')
    await operator.stop()
    await expect(operator.done).resolves.toBeUndefined()
    await expect(operator.client.get(ConfigMap, metadata)).rejects.toThrow('the operator stops')
  })

  it('rejects a kind without a controller', async () => {
    const operator = await start('nothing', defineController(ConfigMap, pages))
    expect(() => operator.enqueue(Secret, { namespace: 'default', name: 'home' })).toThrow(
      'the operator has no controller of secrets; add one to its controllers',
    )
  })

  it('serves two operators in one process, each with its own kinds', async () => {
    const [services, secrets] = [new Looks(), new Looks()]
    const controllers = [
      defineController(Service, { ...pages, observe: services.observe }),
      defineController(Secret, { ...pages, observe: secrets.observe }),
    ] as const
    const [one, other] = [await start('services', controllers[0]), await start('secrets', controllers[1])]
    const metadata = { namespace: 'default', name: 'home', labels: { of: 'pages' } }
    await one.client.create(Service, { metadata, spec: { ports: [{ port: 80 }] } })
    await other.client.create(Secret, { metadata })
    expect(await Promise.all([services.next(), secrets.next()])).toEqual(['home', 'home'])
    await one.stop()
    other.enqueue(controllers[1], { namespace: 'default', name: 'home' })
    expect(await secrets.next()).toBe('home')
    const { metadata: read } = await other.client.get(Service, metadata)
    expect(read.finalizers).toEqual(['konverge.dev/services'])
  })

  it('is not returned if the operator cannot start', async () => {
    const environment = { KUBECONFIG: 'not/there' }
    const options = { name: 'pages', controllers: [], environment, output: { write: () => {} }, userAgent: 'pages' }
    await expect(startOperator(options)).rejects.toThrow('not/there')
  })
})

describe('an embedded operator', () => {
  const host = '127.0.0.1'

  it('logs to the program’s logger, counts in its registry, and listens on no port', async () => {
    const lines: string[] = []
    const take = (_: object, message: string) => void lines.push(message)
    const registry = new Registry()
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) =>
        startWith({ name, registry, output: undefined, log: { debug: take, info: take, warn: take, error: take } }),
      ),
    )
    expect(lines.filter((line) => line === 'starting')).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('serving'))).toEqual([])
    expect(one?.addresses).toEqual({})
    const text = (await other?.metrics.text()) ?? ''
    const requests = text.split('\n').filter((line) => line.startsWith('rest_client_requests_total{'))
    for (const name of ['one', 'other']) expect(requests.join()).toContain(`operator="${name}"`)
    expect(text).not.toContain('process_cpu')
  })

  it('reports liveness and readiness to its program as its pages do', async () => {
    const kind = { ...ConfigMap, group: 'example.com', plural: 'pages', kind: 'Page' }
    const operator = await startWith({ controllers: [defineController(kind, pages)], http: { host, port: 0 } })
    const url = `http://${host}:${operator.addresses.http?.port}`
    expect(operator.healthz().isOk).toBe(true)
    const report = operator.readyz()
    expect(report.failures.map(({ name }) => name)).toEqual(['pages.example.com'])
    expect(await get(`${url}/readyz`)).toEqual({ status: 503, text: healthText(report, { isVerbose: false }) })
    expect(await get(`${url}/healthz`)).toEqual({ status: 200, text: 'ok\n' })
    expect((await get(`${url}/metrics`)).status).toBe(200)
  })

  it('serves metrics over HTTPS with the program’s certificate, to everyone or to users of the cluster', async () => {
    const certificate = ownCertificate(['metrics.example', '127.0.0.1'], systemSecrets, Date.now())
    const trust = { ca: certificate.cert, servername: 'metrics.example' }
    const open = await startWith({ name: 'open', metrics: { kind: 'open', host, port: 0, certificate } })
    const toAll = await get(`https://${host}:${open.addresses.metrics?.port}/metrics`, trust)
    expect(toAll.status).toBe(200)
    expect(toAll.text).toContain('operator="open"')
    const guarded = await startWith({ name: 'guarded', metrics: { kind: 'protected', host, port: 0, certificate } })
    const url = `https://${host}:${guarded.addresses.metrics?.port}/metrics`
    expect((await get(url, trust)).status).toBe(401)
    const headers = { authorization: `Bearer ${server.token}` }
    expect((await get(url, { ...trust, headers })).status).toBe(200)
  })

  it('limits its request rate as the program sets it, and exposes the wait', async () => {
    const operator = await startWith({ name: 'slow', requestRate: { perSecond: 50, burst: 1 }, connections: 2 })
    const at = { namespace: 'default', name: 'none' }
    await Promise.all(Array.from({ length: 5 }, () => operator.client.find(ConfigMap, at)))
    const sum = /rate_limiter_duration_seconds_sum\{[^}]*verb="get"[^}]*\} (.*)/
    const [, waited = '0'] = sum.exec(await operator.metrics.text()) ?? []
    // The duration depends on the load of the machine.
    expect(Number(waited)).toBeGreaterThan(0)
  })

  it.each([
    { options: { requestRate: { perSecond: 0, burst: 1 } }, message: 'a rate is more than 0 a second' },
    { options: { connections: 0 }, message: 'connections is a positive number' },
    {
      options: { metrics: { kind: 'open' } },
      message: 'metrics of kind open are on the address of the probes, and http is off',
    },
    { options: { output: undefined }, message: 'the operator has nowhere to log' },
  ] as const)('rejects invalid options: $message', async ({ options, message }) => {
    await expect(startWith(options)).rejects.toThrow(message)
  })
})
