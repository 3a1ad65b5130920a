// Reconciles of a waiting resource: at once for a change, without an event at growing intervals.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { Service } from '../../src/object/built-in.ts'
import { recheckMs } from '../../src/reconcile/outcome.ts'
import { Site, siteController, World } from './life.ts'

describe('the time between two reconciles of a waiting resource', () => {
  it('doubles up to five minutes', () => {
    const random = seededRandom(1)
    for (let waits = 0; waits < 12; waits++) {
      const longestMs = Math.min(15_000 * 2 ** waits, 300_000)
      const delayMs = recheckMs(waits, random)
      expect(delayMs).toBeGreaterThanOrEqual(longestMs / 2)
      expect(delayMs).toBeLessThanOrEqual(longestMs)
    }
  })
})

describe('a resource that waits for the address of a Service', () => {
  /** Counts reconciles, by the times of the calls of `observe`. */
  async function waitingSite() {
    const world = new World()
    const atMs: number[] = []
    world.addSite()
    await world.live(
      siteController({
        observe: async () => void atMs.push(world.clock.monotonicMs()),
        desired: (chart, { object: { metadata } }) => {
          new ApiObject(chart, 'service', {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: metadata.name },
            spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
          })
        },
      }),
    )
    expect(world.conditions()).toMatchObject({ Ready: 'False/Waiting' })
    return { world, atMs }
  }

  it('is reconciled at growing intervals', async () => {
    const { world, atMs } = await waitingSite()
    await world.clock.advance(3_600_000)
    expect(atMs.length).toBeGreaterThan(3_600 / 300)
    expect(atMs.length).toBeLessThan(8 + 3_600 / 150)
    const gaps = atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(300_000)
    expect(gaps.slice(0, 2).every((gap) => gap <= 30_000)).toBe(true)
  })

  it('is triggered by an event, and then starts at the shortest interval', async () => {
    const { world, atMs } = await waitingSite()
    await world.clock.advance(3_600_000)
    const before = atMs.length
    world.api.edit(Service, 'default/a', { status: { conditions: [{ type: 'Ports', status: 'True' }] } })
    await world.clock.advance(0)
    expect(atMs.length).toBe(before + 1)
    await world.clock.advance(15_000)
    expect(atMs.length).toBe(before + 2)
    world.api.edit(Service, 'default/a', { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } })
    await world.clock.advance(0)
    expect(world.conditions()).toMatchObject({ Ready: 'True/Settled' })
  })

  it('is reconciled at once when its spec changes', async () => {
    const { world, atMs } = await waitingSite()
    await world.clock.advance(3_600_000)
    const before = atMs.length
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    expect(atMs.length).toBe(before + 1)
  })
})
