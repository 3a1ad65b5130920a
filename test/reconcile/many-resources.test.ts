// A controller with many resources: work on all of them runs in slices of a few milliseconds.
import { expect, it } from 'vitest'
import type { Metrics } from '../../src/base/instrument.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Secret } from '../../src/object/built-in.ts'
import { BusyClock } from '../cache/busy-clock.ts'
import { siteController, World } from './life.ts'

const count = 200

/** A standby for which queueing a key takes a millisecond. */
async function standby() {
  const clock = new BusyClock()
  let queued = 0
  const counter: Metrics['counter'] = ({ name }) => ({
    add: () => {
      if (name !== 'workqueue_adds_total') return
      queued += 1
      clock.work(1)
    },
    remove: () => {},
  })
  const world = new World({ clock, metrics: { ...silentInstruments.metrics, counter } })
  for (let index = 0; index < count; index++) world.addSite(`site-${index}`)
  const { promise: mayWork, resolve: takeOver } = Promise.withResolvers<void>()
  const owns = [ConfigMap, { resource: Secret, optional: true }]
  const life = await world.live(siteController({ owns, desired: () => {} }), { mayWork })
  return { world, clock, life, takeOver, queued: () => queued }
}

it('queues all resources at a takeover without blocking the event loop', async () => {
  const { clock, life, takeOver, queued } = await standby()
  takeOver()
  await clock.advance(60_000)
  expect(queued()).toBeGreaterThanOrEqual(count)
  expect(clock.longestHeldMs).toBeLessThanOrEqual(8)
  await life.end()
})

it('queues all resources for an uninstalled kind without blocking the event loop', async () => {
  const { world, clock, life, takeOver, queued } = await standby()
  takeOver()
  await clock.advance(60_000)
  const before = queued()
  world.api.before = ({ plural }) => {
    if (plural === Secret.plural)
      throw new KubeError({ code: 'ResourceNotFound', message: 'the server has no such resource' })
  }
  world.api.compact()
  await clock.advance(60_000)
  expect(queued() - before).toBeGreaterThanOrEqual(count)
  expect(clock.longestHeldMs).toBeLessThanOrEqual(8)
  await life.end()
})

it('ends in the middle of a takeover', async () => {
  const { life, takeOver } = await standby()
  takeOver()
  await life.end()
})
