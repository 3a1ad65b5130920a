// Two operators with different names in one namespace: both lead, and neither manages a resource of the other.
import { expect, it, onTestFinished } from 'vitest'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Fence } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { Lease } from '../../src/object/built-in.ts'
import { identityOf } from '../../src/object/identity.ts'
import { Elector } from '../../src/operator/elector.ts'
import { leaderElectionOf } from '../../src/operator/leader-election.ts'
import { Operator } from '../../src/operator/operator.ts'
import type { Controller } from '../../src/reconcile/definition.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { Site, siteController, World } from '../reconcile/life.ts'
import { Shop, shopController } from '../reconcile/sharing-controllers.ts'
import { settled } from '../reconcile/sites.ts'

/** Starts an operator with leader election, as in a pod of the namespace `ops`. */
function start(world: World, name: string, controller: Controller): Fence {
  const { clock, api, instruments } = world
  const random = seededRandom(1)
  const fence = new Fence(clock)
  const election = leaderElectionOf({}, { operatorName: name, identity: `${name}-0`, podNamespace: 'ops' })
  if (election === undefined) throw new Error('a pod takes part')
  const { leaseManager: fieldManager } = identityOf(name)
  const operator = new Operator({
    ...{ name, clock, random, instruments, fence, controllers: [controller] },
    secrets: seededSecrets(1),
    client: new FencedClient({ client: api, fence }),
    elector: new Elector({ clock, random, instruments, client: api, fence, fieldManager, ...election }),
    health: new HealthRegistry(),
  })
  const stop = new AbortController()
  const ended = operator.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await clock.advance(15_000)
    await ended
  })
  return fence
}

it('two operators with different names in one namespace both lead', async () => {
  const world = new World()
  const fences = [start(world, 'sites', siteController()), start(world, 'shops', shopController())]
  world.addSite('a')
  const metadata = { name: 'a', namespace: 'default' }
  world.api.put(Shop, { apiVersion: 'example.com/v1', kind: 'Shop', metadata, spec: { text: 'open' } })
  await world.clock.advance(60_000)
  expect(fences.map(({ isOpen }) => isOpen)).toEqual([true, true])
  expect(world.api.all(Lease).map(({ metadata: { name } }) => name)).toEqual(['sites', 'shops'])
  expect(world.conditions()).toEqual(settled)
  expect(world.site()?.metadata.finalizers).toEqual(['konverge.dev/sites'])
  expect(world.api.find(Shop, 'default/a')).toMatchObject({
    metadata: { finalizers: ['konverge.dev/shops'] },
    status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]) },
  })
})

it('an operator keeps children and finalizer of another, and the resource names their owner', async () => {
  const world = new World()
  world.addSite('a')
  start(world, 'first', siteController())
  await world.clock.advance(60_000)
  const before = world.api.find(Site, 'default/a')?.metadata
  world.api.requests.length = 0
  start(world, 'second', siteController())
  await world.clock.advance(60_000)
  expect(world.message('Stalled')).toMatch(/^Site default\/a is managed by "konverge\.dev\/first\/v1"/)
  expect(world.site()?.metadata).toEqual({ ...before, resourceVersion: world.site()?.metadata.resourceVersion })
  const isWrite = ({ verb, plural }: { verb: string; plural: string }) =>
    ['create', 'apply', 'patch', 'delete'].includes(verb) && plural !== 'leases'
  expect(world.api.requests.filter(isWrite).map(({ plural }) => plural)).toEqual(['sites'])
})
