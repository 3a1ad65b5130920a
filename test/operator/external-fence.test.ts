// Fence of external effects: a process that does not lead must not act outside the cluster, as it must not write in it
// (I9).
import { expect, it, onTestFinished } from 'vitest'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Fence } from '../../src/kube/fence.ts'
import { Operator } from '../../src/operator/operator.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { RemoteWorld } from '../external/remote-world.ts'
import { Shelf, shelfController } from '../external/shelf.ts'
import { World } from '../reconcile/life.ts'

it('a process starts no external effect while its fence is closed', async () => {
  const { clock, api, instruments } = new World()
  const remote = new RemoteWorld(clock)
  const fence = new Fence(clock)
  const stop = new AbortController()
  const surroundings = {
    clock,
    random: seededRandom(1),
    secrets: seededSecrets(1),
    instruments,
    health: new HealthRegistry(),
  }
  const operator = new Operator({
    name: 'konverge',
    ...surroundings,
    client: api,
    fence,
    controllers: [shelfController(remote)],
  })
  const ended = operator.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await clock.advance(15_000)
    await ended
  })
  const metadata = { name: 'a', namespace: 'default' }
  api.put(Shelf, { apiVersion: 'example.dev/v1', kind: 'Shelf', metadata, spec: { size: 1 } })
  await clock.advance(60_000)
  expect(new Set(remote.calls)).toEqual(new Set(['observe a-box']))
  fence.openUntil(clock.monotonicMs() + 600_000)
  await clock.advance(300_000)
  expect(remote.deeds).toEqual(['create a-box'])
})
