// Cost of many resources in this process, without a server: metrics exposition, reads, catching up, waves, learned
// normalizations.
import process from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'
import { ApiObject } from 'cdk8s'
import { Convergence } from '../../src/apply/convergence.ts'
import { seededRandom } from '../../src/base/random.ts'
import { Store } from '../../src/cache/store.ts'
import { WriteOverlay } from '../../src/cache/write-overlay.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { Condition } from '../../src/object/condition.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyOf } from '../../src/object/ref.ts'
import { LiveLoader } from '../../src/reconcile/live-loader.ts'
import { ReconcileMetrics } from '../../src/reconcile/reconcile-metrics.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { failure } from '../../test/model-api.ts'
import { live } from '../../test/objects.ts'
import { Site, siteController, World } from '../../test/reconcile/life.ts'

const types = ['Ready', 'Progressing', 'Degraded', 'Available', 'Synced']

/** A scrape of `/metrics` with these resources, of which every other one is not ready. */
export async function scrape(resources: number) {
  const metrics = new PrometheusMetrics()
  const { conditions } = new ReconcileMetrics(metrics, 'sites')
  for (let index = 0; index < resources; index++)
    conditions.observe(
      numbered(index),
      types.map((type) => conditionOf(type, index)),
    )
  const heldMs = await leastOf(5, async () => void (await metrics.text()))
  const text = await metrics.text()
  return {
    series: text.split('\n').filter((line) => line.startsWith('resource_condition')).length,
    bytes: text.length,
    heldMs,
  }
}

function conditionOf(type: string, index: number): Condition {
  const status = type === 'Ready' && index % 2 === 0 ? 'False' : 'True'
  return { type, status, reason: `Reason${index % 7}`, message: '', lastTransitionTime: '' }
}

/** Microseconds of a `live.list` of ten objects by a label, in a watched kind with this number of objects. */
export async function listUs(objects: number): Promise<number> {
  const store = new Store()
  for (let index = 0; index < objects; index++) store.put(numbered(index, { group: String(index % (objects / 10)) }))
  const calls = 2_000
  const cached = {
    selectedLabel: undefined,
    covers: () => true,
    get: store.get.bind(store),
    select: store.select.bind(store),
    byIndex: () => undefined,
  }
  const { signal } = new AbortController()
  const loader = new LiveLoader({ client: new World().api, cachedKind: () => cached, mayAsk: () => true, signal })
  const all = async () => {
    for (let call = 0; call < calls; call++)
      await loader.list(ConfigMap, { namespace: 'default', labels: { group: String(call % (objects / 10)) } })
  }
  await all() // The first use creates the index.
  return ((await leastOf(3, all)) * 1_000) / calls
}

/** Milliseconds until a watch that shows one write after the other has delivered this number of own writes. */
export function catchUpMs(writes: number): Promise<number> {
  return leastOf(3, async () => {
    const overlay = new WriteOverlay(new Store())
    for (let index = 0; index < writes; index++) overlay.put(numbered(index), '0')
    for (let index = 0; index < writes; index++) overlay.reached(String(index + 1))
  })
}

/**
 * A resource with this number of children in one wave: its parallel requests, and the characters of its status if all
 * fail.
 */
export async function wave(children: number) {
  const world = new World()
  const { api } = world
  let [underWay, most] = [0, 0]
  const apply = api.apply.bind(api)
  api.apply = async (...request) => {
    underWay += 1
    most = Math.max(most, underWay)
    try {
      await turn()
      return await apply(...request)
    } finally {
      underWay -= 1
    }
  }
  const controller = siteController({
    desired: (chart) => {
      for (let index = 0; index < children; index++)
        new ApiObject(chart, `child-${index}`, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `child-of-some-name-${index}` },
        })
    },
  })
  world.addSite()
  api.before = ({ verb, key }) => {
    if (verb === 'apply' && key.includes('child-'))
      throw failure('Forbidden', `${key} is forbidden: ${'because '.repeat(20)}`)
  }
  const life = await world.live(controller)
  while (underWay > 0 || world.site()?.status === undefined) await world.clock.advance(100)
  const statusCharacters = JSON.stringify(world.site()?.status).length
  api.before = () => {}
  while (api.all(ConfigMap).length < children) await world.clock.advance(1_000)
  await life.end()
  return { most, statusCharacters, made: api.all(ConfigMap).length, of: Site.kind }
}

/** Number of children that would be applied again, if the server stores all of them in another form than declared. */
export function appliedAgain(children: number): number {
  const manager = 'konverge'
  const convergence = new Convergence(seededRandom(1))
  const fieldsV1 = { 'f:data': { 'f:key': {} } }
  const managedFields = [{ manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }] as const
  const pairs = Array.from({ length: children }, (_, index) => {
    const { name } = numbered(index).metadata
    const declared = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
      data: { key: 'ours' },
    }
    return { declared, stored: live({ metadata: { name, managedFields: [...managedFields] }, data: { key: 'OURS' } }) }
  })
  for (const [index, { declared, stored }] of pairs.entries())
    convergence.learn({ desired: declared, live: stored, manager, paths: [], rivals: [], nowMs: index })
  const differs = pairs.filter(
    ({ declared, stored }) => convergence.compare(declared, stored, { manager, nowMs: children }).kind !== 'equal',
  )
  return differs.length
}

function numbered(index: number, labels: Readonly<Record<string, string>> = {}): LiveObject {
  const object = live({ metadata: { name: `object-${index}`, resourceVersion: String(index + 1), labels } })
  keyOf(object)
  return object
}

/** By the processor time of this thread. */
async function leastOf(rounds: number, work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
