// Process that lists the sites of a server: `node --expose-gc reader.ts <kubeconfig>`. It sends its figures, then ends.
import { strict as assert } from 'node:assert'
import process from 'node:process'
import { systemClock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { systemRandom } from '../../src/base/random.ts'
import { Informers } from '../../src/cache/informers.ts'
import type { KubeClient, WatchFrame, WatchOptions } from '../../src/kube/client.ts'
import { loadConnection } from '../../src/kube/kube-config-loader.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { isChildManager } from '../../src/object/identity.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { type Key, keyOf } from '../../src/object/ref.ts'
import type { Resource } from '../../src/object/resource.ts'
import { WorkQueue } from '../../src/queue/work-queue.ts'
import { Site } from '../endurance/fleet.ts'
import { type HeldLoop, HeldLoopMeter } from '../held-loop.ts'

/** Figures of a first list, and of the list after a 410. */
export interface ListFigures {
  readonly way: string
  readonly first: HeldLoop
  readonly again: HeldLoop
  readonly steadyBytes: number
  /** Peak of retained memory during both lists. */
  readonly peakBytes: number
}

/** Client that answers as the server does, and 410 on demand; or like a server without initial events. */
class ExpiringClient implements KubeClient {
  /** Number of requested snapshots. */
  snapshots = 0
  /** True if the watch has reached the end of a snapshot. */
  isFollowing = false
  readonly #client: KubeClient
  readonly #hasStreams: boolean
  readonly #onObjects: (count: number) => void
  #expired = new AbortController()
  #objects = 0

  constructor(client: KubeClient, hasStreams: boolean, onObjects: (count: number) => void) {
    this.#client = client
    this.#hasStreams = hasStreams
    this.#onObjects = onObjects
  }

  expire(): void {
    this.#expired.abort()
    this.#expired = new AbortController()
  }

  list: KubeClient['list'] = async (...request) => {
    const page = await this.#client.list(...request)
    this.#objects += page.items.length
    this.#onObjects(this.#objects)
    return page
  }
  get: KubeClient['get'] = (...request) => this.#client.get(...request)
  create: KubeClient['create'] = (...request) => this.#client.create(...request)
  apply: KubeClient['apply'] = (...request) => this.#client.apply(...request)
  patch: KubeClient['patch'] = (...request) => this.#client.patch(...request)
  update: KubeClient['update'] = (...request) => this.#client.update(...request)
  deleteCollection: KubeClient['deleteCollection'] = (...request) => this.#client.deleteCollection(...request)
  delete: KubeClient['delete'] = (...request) => this.#client.delete(...request)
  read: KubeClient['read'] = (...request) => this.#client.read(...request)

  async *watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    if (options.sendInitialEvents === true) {
      this.snapshots += 1
      this.isFollowing = false
      if (!this.#hasStreams) throw new KubeError({ code: 'Invalid', message: 'sendInitialEvents is forbidden' })
    } else this.isFollowing = true
    const expired = this.#expired.signal
    try {
      for await (const frame of this.#client.watch(resource, options, AbortSignal.any([signal, expired]))) {
        this.#objects += 1
        this.#onObjects(this.#objects)
        yield frame
        // The informer has processed the frame when it requests the next one.
        if (frame.type === 'BOOKMARK') this.isFollowing = true
      }
    } catch (thrown) {
      if (!expired.aborted) throw thrown
    }
    if (!expired.aborted) return
    yield { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }
  }
}

const [kubeconfig = ''] = process.argv.slice(2)
const { gc } = globalThis
assert(gc !== undefined, 'run with --expose-gc')
const signal = new AbortController().signal
/** Objects received or delivered between two collections. */
const collectEvery = 5_000
const source = { kind: 'files', paths: [kubeconfig] } as const
const connection = await loadConnection(
  { clock: systemClock, source, environment: process.env, context: undefined },
  signal,
)
const parts = { clock: systemClock, instruments: silentInstruments }
const rest = new RestClient({ ...parts, connection, userAgent: 'bench' })

/** Half of a site. */
const keep = ({ apiVersion, kind, metadata }: LiveObject): LiveObject => ({ apiVersion, kind, metadata })
const ways = [
  { way: 'a stream', hasStreams: true, transform: undefined },
  { way: 'a stream, with keep', hasStreams: true, transform: keep },
  { way: 'pages', hasStreams: false, transform: undefined },
]
for (const { way, hasStreams, transform } of ways) {
  const { first, again } = await list(hasStreams, transform, false)
  const { steadyBytes, peakBytes } = await list(hasStreams, transform, true)
  process.send?.({ way, first, again, steadyBytes, peakBytes } satisfies ListFigures)
}
await rest.close(AbortSignal.abort())
process.disconnect()

/** Lists all sites twice. It either measures the loop, or forces repeated collections to measure retained memory. */
async function list(hasStreams: boolean, transform: typeof keep | undefined, collects: boolean) {
  let [emptyBytes, peakBytes, told] = [Number.POSITIVE_INFINITY, 0, 0]
  const look = (objects: number) => {
    if (collects && objects % collectEvery === 0) peakBytes = Math.max(peakBytes, heldBytes() - emptyBytes)
  }
  const client = new ExpiringClient(rest, hasStreams, look)
  const informers = new Informers({ ...parts, client, random: systemRandom, keepsFieldsOf: isChildManager })
  const queue = new WorkQueue<Key>({ ...parts, random: systemRandom, name: 'bench' })
  const informer = informers.informerFor({ resource: Site as Resource, transform, indexes: { labels: ['shard'] } })
  informer.addHandler(({ object }) => {
    queue.add(keyOf(object), { priority: 'resync', cause: { kind: 'initial' } })
    told += 1
    look(told)
  })
  emptyBytes = heldBytes()
  const meter = await HeldLoopMeter.start()
  const stop = new AbortController()
  informers.start(stop.signal)
  await informers.waitUntilSynced(signal)
  const first = await meter.take()
  const requests = client.snapshots
  client.expire()
  while (client.snapshots === requests || !client.isFollowing) await new Promise((resolve) => setTimeout(resolve, 10))
  const again = await meter.take()
  meter.stop()
  const steadyBytes = heldBytes() - emptyBytes
  assert.equal(informer.size, queue.size)
  stop.abort()
  await informers.stop()
  return { first, again, steadyBytes, peakBytes: Math.max(peakBytes, steadyBytes) }
}

function heldBytes(): number {
  gc?.()
  return process.memoryUsage().heapUsed
}
