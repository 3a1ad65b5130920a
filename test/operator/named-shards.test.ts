// Named shards of one operator, each with resources that its labels select: their leaders work in parallel, and no
// resource has two.
import { expect, it, onTestFinished } from 'vitest'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Fence } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { ConfigMap, Lease, Secret } from '../../src/object/built-in.ts'
import { identityOf } from '../../src/object/identity.ts'
import { Elector } from '../../src/operator/elector.ts'
import { leaderElectionOf } from '../../src/operator/leader-election.ts'
import { Operator } from '../../src/operator/operator.ts'
import { electionOptionsOf, type Sharding } from '../../src/operator/sharding.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { at } from '../model-api.ts'
import { Site, siteController, World } from '../reconcile/life.ts'
import { settled } from '../reconcile/sites.ts'

interface Process {
  readonly fence: Fence
  readonly metrics: PrometheusMetrics
  stop(): Promise<void>
}

/** Starts a shard as runOperator does in a pod of the namespace `ops`; without a name, it is the whole operator. */
function start(world: World, shardName?: string, labelSelector?: string): Process {
  const { clock, api } = world
  const random = seededRandom(1)
  const fence = new Fence(clock)
  const metrics = new PrometheusMetrics({ operator: 'konverge', shard: shardName })
  const instruments = { ...world.instruments, metrics }
  const sharding: Sharding | undefined = shardName === undefined ? undefined : { kind: 'selection', name: shardName }
  const whereabouts = { operatorName: 'konverge', identity: `pod-${shardName}`, podNamespace: 'ops' }
  const election = leaderElectionOf(electionOptionsOf('konverge', sharding, {}), whereabouts)
  if (election === undefined) throw new Error('a pod takes part')
  const { leaseManager: fieldManager } = identityOf('konverge')
  const operator = new Operator({
    ...{
      name: 'konverge',
      clock,
      random,
      instruments,
      fence,
      controllers: [siteController()],
      labelSelector,
      shardName,
    },
    secrets: seededSecrets(1),
    client: new FencedClient({ client: api, fence }),
    elector: new Elector({ clock, random, instruments, client: api, fence, fieldManager, ...election }),
    health: new HealthRegistry(),
  })
  const abort = new AbortController()
  const ended = operator.run(abort.signal)
  const stop = async () => {
    abort.abort()
    await clock.advance(15_000)
    await ended
  }
  onTestFinished(stop)
  return { fence, metrics, stop }
}

function addSite(world: World, name: string, region: string, password?: string): void {
  const spec = { page: 'hello', ...(password === undefined ? {} : { password }) }
  const metadata = { name, namespace: 'default', labels: { region } }
  world.api.put(Site, { apiVersion: 'example.dev/v1', kind: 'Site', metadata, spec })
}

const shardOf = (world: World, name: string) =>
  at(world.api.find(ConfigMap, `default/${name}-pages`), 'metadata', 'labels', 'konverge.dev/shard')
const events = (world: World) =>
  world.api
    .all()
    .filter(({ kind }) => kind === 'Event')
    .map((event) => at(event, 'reason'))

it('both lead, and each reconciles and caches only its own resources and children', async () => {
  const world = new World()
  const shards = [start(world, 'eu', 'region=eu'), start(world, 'us', 'region=us')]
  for (const name of ['a', 'b']) addSite(world, name, 'eu')
  addSite(world, 'c', 'us')
  await world.clock.advance(30_000)
  expect(shards.map(({ fence }) => fence.isOpen)).toEqual([true, true])
  expect(world.api.all(Lease).map(({ metadata: { name } }) => name)).toEqual(['konverge-eu', 'konverge-us'])
  for (const key of ['default/a', 'default/b', 'default/c']) expect(world.conditions(key)).toEqual(settled)
  expect(['a', 'b', 'c'].map((name) => shardOf(world, name))).toEqual(['eu', 'eu', 'us'])
  const held = async ({ metrics }: Process) =>
    [...(await metrics.text()).matchAll(/^store_objects\{(.*resource="(?:sites|configmaps)[^"]*".*)\} (\d+)$/gm)].map(
      (found) => [/shard="(\w+)"/.exec(found[1] ?? '')?.[1], found[2]],
    )
  expect(await Promise.all(shards.map(held))).toEqual([
    [
      ['eu', '2'],
      ['eu', '2'],
    ],
    [
      ['us', '1'],
      ['us', '1'],
    ],
  ])
})

it('the first of two shards with overlapping selections reconciles, and an Event reports the overlap', async () => {
  const world = new World()
  start(world, 'eu', 'region=eu')
  addSite(world, 'a', 'eu')
  await world.clock.advance(30_000)
  const before = world.site()
  start(world, 'world', 'region')
  await world.clock.advance(30_000)
  expect(world.site()).toEqual(before)
  expect(shardOf(world, 'a')).toBe('eu')
  expect(events(world)).toContain('OtherShard')
})

it('hands over a resource with all its children when its labels change and its annotation is removed', async () => {
  const world = new World()
  start(world, 'eu', 'region=eu')
  start(world, 'us', 'region=us')
  addSite(world, 'a', 'eu', 'secret-word')
  await world.clock.advance(30_000)
  expect(world.api.find(Secret, 'default/a-login')).toBeDefined()
  world.api.edit(Site, 'default/a', { metadata: { labels: { region: 'us' } }, spec: { page: 'after', password: null } })
  await world.clock.advance(30_000)
  expect(at(world.api.find(ConfigMap, 'default/a-pages'), 'data', 'index')).toBe('hello')
  world.api.edit(Site, 'default/a', { metadata: { annotations: { 'konverge.dev/shard': null } } })
  await world.clock.advance(30_000)
  expect(at(world.api.find(ConfigMap, 'default/a-pages'), 'data', 'index')).toBe('after')
  expect(shardOf(world, 'a')).toBe('us')
  expect(world.api.find(Secret, 'default/a-login')).toBeUndefined()
  expect(world.site()?.metadata.annotations?.['konverge.dev/shard']).toBe('us')
  expect(world.conditions()).toEqual(settled)
})

it('takes over resources and children of an operator without shards, and writes nothing in sync', async () => {
  const world = new World()
  const whole = start(world)
  addSite(world, 'a', 'eu', 'secret-word')
  await world.clock.advance(30_000)
  await whole.stop()
  expect(shardOf(world, 'a')).toBeUndefined()
  world.api.edit(Site, 'default/a', { spec: { password: null } })
  start(world, 'eu', 'region=eu')
  await world.clock.advance(30_000)
  expect(shardOf(world, 'a')).toBe('eu')
  expect(world.api.find(Secret, 'default/a-login')).toBeUndefined()
  const writes = world.api.writes.length
  await world.clock.advance(30_000)
  expect(world.api.writes.slice(writes).filter((write) => !/leases|events/.test(write))).toEqual([])
})

it('an operator without shards ignores the resources of a shard', async () => {
  const world = new World()
  const eu = start(world, 'eu', 'region=eu')
  addSite(world, 'a', 'eu')
  await world.clock.advance(30_000)
  await eu.stop()
  start(world)
  world.api.edit(Site, 'default/a', { spec: { page: 'after' } })
  await world.clock.advance(30_000)
  expect(at(world.api.find(ConfigMap, 'default/a-pages'), 'data', 'index')).toBe('hello')
  expect(events(world)).toContain('OtherShard')
})
