import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { HttpServer, type HttpServerOptions } from '../../src/telemetry/http-server.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { SimClock, settle } from '../../src/testing/sim-clock.ts'

const lives: AbortController[] = []
afterEach(() => {
  for (const life of lives.splice(0)) life.abort()
})

async function start(options: Partial<HttpServerOptions> = {}) {
  const health = new HealthRegistry()
  const exposition = new PrometheusMetrics()
  const life = new AbortController()
  lives.push(life)
  const server = new HttpServer({
    clock: systemClock,
    instruments: silentInstruments,
    health,
    exposition,
    port: 0,
    ...options,
  })
  const address = await server.start(life.signal)
  const url = (path: string) => `http://127.0.0.1:${address.port}${path}`
  return { server, health, exposition, life, address, url }
}

/** Sends raw text and returns the whole response until the server closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

describe('HttpServer, pages', () => {
  it('listens on loopback and returns its port', async () => {
    const { address } = await start()
    expect(address.host).toBe('127.0.0.1')
    expect(address.port).toBeGreaterThan(0)
  })

  it.each([
    { path: '/livez', probe: 'live' },
    { path: '/healthz', probe: 'live' },
    { path: '/readyz', probe: 'ready' },
  ] as const)('answers $path by the $probe checks', async ({ path, probe }) => {
    const { health, url } = await start()
    let sentence: string | undefined
    health.add({ probe, name: 'informer', check: () => sentence })
    health.add({ probe: probe === 'live' ? 'ready' : 'live', name: 'other', check: () => 'never asked' })
    const good = await fetch(url(path))
    expect([good.status, await good.text()]).toEqual([200, 'ok\n'])
    const verbose = await fetch(url(`${path}?verbose`))
    expect(await verbose.text()).toBe('[+] informer: ok\ncheck passed\n')
    sentence = 'no bookmark for two intervals'
    const bad = await fetch(url(path))
    expect([bad.status, await bad.text()]).toEqual([503, '[-] informer: no bookmark for two intervals\ncheck failed\n'])
  })

  it('exposes the metrics', async () => {
    const { exposition, url } = await start()
    exposition.counter({ name: 'turns_total', help: 'Turns.', labels: [] }).add({})
    const answer = await fetch(url('/metrics'))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, exposition.contentType])
    expect(await answer.text()).toContain('turns_total 1')
  })

  it('exposes no metrics for the audience nobody', async () => {
    const { url } = await start({ metrics: 'nobody' })
    expect((await fetch(url('/metrics'))).status).toBe(404)
    expect((await fetch(url('/livez'))).status).toBe(200)
  })

  it('exposes metrics to loopback by default, and to everyone if configured', async () => {
    const [elsewhere] = Object.values(networkInterfaces()).flatMap((found = []) =>
      found.filter(({ internal, family }) => !internal && family === 'IPv4'),
    )
    const there = elsewhere?.address ?? '127.0.0.1'
    const closed = await start({ host: '0.0.0.0' })
    expect((await fetch(closed.url('/metrics'))).status).toBe(200)
    const expected = there === '127.0.0.1' ? 200 : 403
    expect((await fetch(`http://${there}:${closed.address.port}/metrics`)).status).toBe(expected)
    expect((await fetch(`http://${there}:${closed.address.port}/livez`)).status).toBe(200)
    const open = await start({ host: '0.0.0.0', metrics: 'everybody' })
    expect((await fetch(`http://${there}:${open.address.port}/metrics`)).status).toBe(200)
  })

  it('reports that the metrics cannot be exposed', async () => {
    const exposition = { contentType: 'text/plain', text: () => Promise.reject(new Error('collector broke')) }
    const { url } = await start({ exposition })
    const answer = await fetch(url('/metrics'))
    expect([answer.status, await answer.text()]).toEqual([500, 'the metrics cannot be exposed: collector broke\n'])
  })

  it.each(['/', '/livez/', '/metrics/x', '/__proto__', '/constructor', '/readyz%2f', '//livez'])(
    'answers 404 for %s',
    async (path) => {
      const { url } = await start()
      expect((await fetch(url(path))).status).toBe(404)
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('rejects %s', async (method) => {
    const { url } = await start()
    const answer = await fetch(url('/readyz'), { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('answers HEAD without a body', async () => {
    const { url } = await start()
    const answer = await fetch(url('/livez'), { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '3', ''])
  })

  it.each(['content-length: 1000000', 'transfer-encoding: chunked'])(
    'rejects a body and closes the connection (%s)',
    async (header) => {
      const { address } = await start()
      const answer = await raw(address.port, `GET /livez HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`)
      expect(answer).toContain('413')
    },
  )

  it('rejects long headers', async () => {
    const { address } = await start()
    const answer = await raw(address.port, `GET /livez HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toContain('431')
  })
})

describe('HttpServer, start and stop', () => {
  it('names the address on which it could not listen', async () => {
    const { address } = await start()
    await expect(start({ port: address.port })).rejects.toMatchObject({
      code: 'ListenFailed',
      message: expect.stringContaining(`listen on 127.0.0.1:${address.port}`),
    })
  })

  it('stops, also twice, and then answers no more', async () => {
    const { server, url } = await start()
    await fetch(url('/livez'))
    await server.stop()
    await server.stop()
    await expect(fetch(url('/livez'))).rejects.toThrow()
  })

  it('stops when its signal aborts', async () => {
    const { life, url } = await start()
    life.abort()
    await settle()
    await expect(fetch(url('/livez'))).rejects.toThrow()
  })

  it('does not start under an aborted signal', async () => {
    const server = new HttpServer({
      clock: systemClock,
      instruments: silentInstruments,
      health: new HealthRegistry(),
      exposition: new PrometheusMetrics(),
      port: 0,
    })
    await expect(server.start(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  })

  it('stops within its limit despite a hanging response', async () => {
    const clock = new SimClock()
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const exposition = {
      contentType: 'text/plain',
      text: () => {
        asked()
        return new Promise<string>(() => {})
      },
    }
    const { server, url } = await start({ clock, exposition })
    const answer = fetch(url('/metrics')).catch(() => 'cut off')
    await isAsked
    let hasStopped = false
    const stopped = server.stop().then(() => {
      hasStopped = true
    })
    await clock.advance(1_999)
    expect(hasStopped).toBe(false)
    await clock.advance(1)
    await stopped
    expect(await answer).toBe('cut off')
  })
})
