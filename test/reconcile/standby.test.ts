// A standby controller: it caches its resources and queues none of them before it works.
import { describe, expect, it } from 'vitest'
import { ConfigMap } from '../../src/object/built-in.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { Site, siteController, World } from './life.ts'
import { pages, settled } from './sites.ts'

describe('a standby', () => {
  async function standby() {
    const metrics = new PrometheusMetrics()
    const world = new World({ metrics })
    const { promise: mayWork, resolve: takeOver } = Promise.withResolvers<void>()
    world.addSite('first')
    const life = await world.live(siteController(), { mayWork, maxConcurrent: 1 })
    /** Returns the sum of a metric's series whose labels contain `labels`. */
    const sum = async (name: string, labels = '') => {
      const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
      return lines
        .filter((line) => line.includes(labels))
        .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0)
    }
    return { world, life, takeOver, sum }
  }

  it('queues nothing, however many resources appear and disappear', async () => {
    const { world, sum } = await standby()
    for (let index = 0; index < 10_000; index++) {
      world.addSite(`site-${index}`)
      world.api.remove(Site, `default/site-${index}`)
      if (index % 500 === 0) await world.clock.advance(0)
    }
    await world.clock.advance(0)
    expect(await sum('workqueue_adds_total')).toBe(0)
    expect(await sum('workqueue_depth')).toBe(0)
  })

  it('queues each existing resource once at takeover, with a lower priority than changes by users', async () => {
    const { world, takeOver, sum } = await standby()
    for (const name of ['a', 'b', 'gone']) world.addSite(name)
    await world.clock.advance(0)
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    world.api.remove(Site, 'default/gone')
    await world.clock.advance(0)
    takeOver()
    await world.clock.advance(0)
    expect(await sum('workqueue_adds_total')).toBe(3)
    expect(await sum('workqueue_queue_duration_seconds_count')).toBe(3)
    const ended = world.lines.filter(({ message }) => message === 'turn ended')
    expect(ended.map(({ fields }) => [fields['name'], fields['causes']])).toEqual(
      ['first', 'a', 'b'].map((name) => [name, ['initial']]),
    )
    expect(world.conditions('default/a')).toEqual(settled)
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(0)
    expect(ended.length, 'events wake it from then on').toBeLessThan(
      world.lines.filter(({ message }) => message === 'turn ended').length,
    )
  })
})
