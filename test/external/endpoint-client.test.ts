import { describe, expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Endpoint } from '../../src/external/endpoint.ts'
import { Endpoints } from '../../src/external/endpoints.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { down } from './remote-world.ts'

const signal = new AbortController().signal

const plenty = { perSecond: 100, burst: 100 }
/** Practically no rate. */
const scarce = { perSecond: 0.000_1, burst: 1 }

function setUp({ limit = plenty, share = scarce } = {}) {
  const clock = new SimClock()
  const metrics = new PrometheusMetrics()
  const endpoints = new Endpoints({
    clock,
    random: seededRandom(1),
    instruments: { ...silentInstruments, metrics },
    ...{ limit, share },
  })
  const place = endpoints.endpoint('shop:1', 'team')
  const fails = (error: unknown) =>
    place.call('look', () => Promise.reject(error), signal).catch((thrown: unknown) => thrown)
  const works = () => place.call('look', () => Promise.resolve('seen'), signal).catch((thrown: unknown) => thrown)
  const shown = async (name: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
  return { clock, endpoints, place, fails, works, shown }
}

describe('an endpoint', () => {
  it('is rejected after five own failures, and called again by one probe after the wait', async () => {
    const { clock, place, fails, works } = setUp()
    for (let count = 0; count < 4; count++) expect(await fails(down())).toMatchObject({ code: 'BoxesUnreachable' })
    expect(await fails(down())).toMatchObject({
      code: 'DependencyUnavailable',
      message: expect.stringContaining('no answer'),
    })
    expect(place.isOpen).toBe(true)
    const refusal = await works()
    expect(refusal).toBeInstanceOf(CodedError)
    expect(refusal).toMatchObject({ code: 'DependencyUnavailable', remedy: 'retry' })
    await clock.advance(12_000)
    expect(await Promise.all([works(), works()])).toEqual(['seen', expect.any(CodedError)])
    expect(place.isOpen).toBe(false)
    expect(await works()).toBe('seen')
  })

  it.each([
    { what: 'a refusal', error: down('no', 'stop') },
    { what: 'a bug of ours', error: new TypeError('x is undefined') },
  ])('does not count as down after $what', async ({ error }) => {
    const { place, fails } = setUp()
    for (let count = 0; count < 20; count++) await fails(error)
    expect(place.isOpen).toBe(false)
  })

  it('does not count as down when callers abort', async () => {
    const { clock, place } = setUp()
    for (let count = 0; count < 20; count++) {
      const giving = new AbortController()
      const call = place.call(
        'look',
        (cut) => new Promise((_, reject) => cut.addEventListener('abort', () => reject(down()))),
        giving.signal,
      )
      await clock.advance(0)
      giving.abort()
      await call.catch(() => {})
    }
    expect(place.isOpen).toBe(false)
  })

  it('is not called for a caller that has aborted already', async () => {
    const { place } = setUp()
    const giving = new AbortController()
    let calls = 0
    const call = place.call('look', () => Promise.resolve(++calls), giving.signal)
    giving.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(calls).toBe(0)
  })

  it('is called within its rate, and every wait ends', async () => {
    const { clock, works } = setUp({ limit: { perSecond: 1, burst: 1 } })
    const ends: unknown[] = []
    for (let count = 0; count < 14; count++) void works().then((end) => ends.push(end))
    await clock.advance(0)
    expect(ends).toEqual(['seen', 'seen'])
    await clock.advance(15_000)
    expect(ends.filter((end) => end === 'seen').length).toBeGreaterThanOrEqual(10)
    expect(ends).toHaveLength(14)
    expect(ends.find((end) => end !== 'seen')).toMatchObject({ code: 'DependencyBusy' })
  })

  it('counts its calls by their outcome', async () => {
    const { fails, works, shown } = setUp()
    await works()
    await fails(down('no', 'stop'))
    for (let count = 0; count < 5; count++) await fails(down())
    await works()
    const total = (status: string, count: number) =>
      `external_api_requests_total{endpoint="shop:1",namespace="team",status="${status}"} ${count}`
    const counted = await shown('external_api_requests_total')
    expect(counted.sort()).toEqual([
      total('BoxesRefused', 1),
      total('BoxesUnreachable', 5),
      total('ok', 1),
      total('rejected', 1),
    ])
    expect(await shown('external_endpoint_breaker_open')).toEqual([
      'external_endpoint_breaker_open{endpoint="shop:1",namespace="team"} 1',
    ])
    const took = await shown('external_api_request_duration_seconds_count')
    expect(took).toEqual(['external_api_request_duration_seconds_count{endpoint="shop:1",operation="look"} 7'])
  })

  it('is dropped, with its series, after an hour without calls', async () => {
    const { clock, endpoints, works, place, shown } = setUp()
    await works()
    await clock.advance(60 * 60_000)
    const other = endpoints.endpoint('mill:1', 'team')
    expect(other.isOpen).toBe(false)
    expect(endpoints.size).toBe(1)
    expect((await shown('external_api_requests_total')).join()).not.toContain('shop:1')
    expect(await works()).toBe('seen')
    expect(place.isOpen).toBe(false)
    expect(endpoints.size).toBe(2)
  })

  it('is kept while a call is in flight', async () => {
    const { clock, endpoints, place } = setUp()
    const answer = Promise.withResolvers<string>()
    const call = place.call('look', () => answer.promise, signal, { limitMs: 3 * 60 * 60_000 })
    await clock.advance(2 * 60 * 60_000)
    expect(endpoints.endpoint('mill:1', 'team').isOpen).toBe(false)
    expect(endpoints.size).toBe(2)
    answer.resolve('late')
    expect(await call).toBe('late')
  })

  describe('that several namespaces call', () => {
    const callOf = (place: Endpoint, run: () => Promise<string>) =>
      place.call('look', run, signal).catch((thrown: unknown) => thrown)

    it('rejects no namespace for the failures of another, and shows it none of them', async () => {
      const { endpoints, place, fails } = setUp()
      const other = endpoints.endpoint('shop:1', 'other')
      for (let count = 0; count < 7; count++) await fails(down('words of team'))
      expect([place.isOpen, other.isOpen]).toEqual([true, false])
      expect(await callOf(other, async () => 'seen')).toBe('seen')
      expect(place.isOpen).toBe(true)
      let last: unknown
      for (let count = 0; count < 6; count++) last = await callOf(other, () => Promise.reject(down('words of other')))
      expect(last).toMatchObject({ code: 'DependencyUnavailable', message: expect.stringContaining('words of other') })
      expect(String(last)).not.toContain('words of team')
    })

    it('keeps the open breaker of one namespace open when calls of another succeed', async () => {
      const { endpoints, place, fails, works } = setUp()
      for (let count = 0; count < 5; count++) await fails(down())
      await callOf(endpoints.endpoint('shop:1', 'other'), async () => 'seen')
      expect(place.isOpen).toBe(true)
      expect(await works()).toMatchObject({ code: 'DependencyUnavailable' })
    })

    it('has a share of its rate for each namespace, whatever the others use, and one limit for the rest', async () => {
      const { clock, endpoints } = setUp({ limit: { perSecond: 10, burst: 10 }, share: { perSecond: 1, burst: 2 } })
      const seen = { flood: 0, team: 0 }
      const calls = (namespace: 'flood' | 'team', count: number) => {
        const client = endpoints.endpoint('shop:1', namespace)
        for (let made = 0; made < count; made++)
          void callOf(client, async () => {
            seen[namespace] += 1
            return ''
          })
      }
      calls('flood', 1_000)
      calls('team', 2)
      await clock.advance(0)
      expect(seen).toEqual({ flood: 12, team: 2 })
      await clock.advance(1_000)
      expect(seen.flood).toBeLessThanOrEqual(12 + 11)
    })

    it('keeps the series of the durations until the last namespace is dropped', async () => {
      const { clock, endpoints, works, shown } = setUp()
      const durations = async () => (await shown('external_api_request_duration_seconds_count')).join()
      const other = endpoints.endpoint('shop:1', 'other')
      await works()
      await clock.advance(40 * 60_000)
      await callOf(other, async () => 'seen')
      await clock.advance(40 * 60_000)
      expect(endpoints.endpoint('mill:1', 'team').isOpen).toBe(false)
      expect((await shown('external_api_requests_total')).join()).not.toContain('"team"')
      expect(await durations()).toContain('shop:1')
      await clock.advance(40 * 60_000)
      expect(endpoints.endpoint('mill:2', 'team').isOpen).toBe(false)
      expect(await durations()).not.toContain('shop:1')
    })
  })

  it('is one of at most 32 of its namespace: a new one displaces the longest idle one, and none of another namespace', async () => {
    const { clock, endpoints, place, fails, shown } = setUp()
    for (let count = 0; count < 5; count++) await fails(down())
    const answer = Promise.withResolvers<string>()
    const call = endpoints.endpoint('slow:1', 'names').call('look', () => answer.promise, signal)
    for (let count = 0; count < 200; count++) {
      await clock.advance(1)
      await endpoints.endpoint(`host-${count}:1`, 'names').call('look', async () => 'seen', signal)
    }
    expect(endpoints.size).toBe(33)
    expect(place.isOpen).toBe(true)
    const open = await shown('external_endpoint_breaker_open')
    expect(open).toHaveLength(33)
    expect(open.join()).toContain('slow:1')
    expect(open.join()).toContain('host-199:1')
    expect(open.join()).not.toContain('host-100:1')
    answer.resolve('late')
    expect(await call).toBe('late')
  })
})
