// Speed of the embedded server without sockets. A request includes access control, admission, defaults, validation,
// field managers and the log. Controllers do not run, because their writes would count as the server's.
import { strict as assert } from 'node:assert'
import { Cluster } from '../../src/apiserver/cluster.ts'
import type { ApiAnswer, ApiRequest } from '../../src/apiserver/exchange.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { systemRandom } from '../../src/base/random.ts'
import { type Load, nameOf, shopDefinition } from './loads.ts'
import { cpuMs, heapBytes } from './measure.ts'

export interface InProcessFigures {
  readonly createsPerSecond: number
  readonly listMs: number
  readonly listMegabytes: number
  /** Applies without a change: the first one of an object, and repeated ones. */
  readonly firstAppliesPerSecond: number
  readonly appliesPerSecond: number
  /** All memory for one object, including its part of the history and of every index. */
  readonly heapBytesPerObject: number
  /** Size of its stored text, including managed fields. */
  readonly storedBytes: number
}

const headers: Readonly<Record<string, string>> = {
  authorization: 'Bearer bench',
  accept: 'application/json',
  'user-agent': 'bench/1.0',
}

/** Creates `count` objects in a new cluster, lists them, and applies the existing state to `applied` of them. */
export async function inProcess(load: Load, count: number, applied: number): Promise<InProcessFigures> {
  const cluster = newCluster()
  try {
    await define(cluster)
    const bodies = Array.from({ length: count }, (_, index) => JSON.stringify(load.object(index)))
    const before = heapBytes()
    const createMs = await cpuMs(() => createAll(cluster, load, bodies))
    const heapBytesPerObject = (heapBytes() - before) / count
    const storedBytes = (await ask(cluster, 'GET', `${load.path}/${nameOf(0)}`)).body?.length ?? 0
    const { body = '' } = await ask(cluster, 'GET', load.path)
    const listMs = await cpuMs(() => ask(cluster, 'GET', load.path))
    const { firstMs, againMs } = await noOpApplies(cluster, load, bodies.slice(0, applied))
    return {
      createsPerSecond: perSecond(count, createMs),
      listMs,
      listMegabytes: body.length / 1e6,
      firstAppliesPerSecond: perSecond(applied, firstMs),
      appliesPerSecond: perSecond(applied, againMs),
      heapBytesPerObject,
      storedBytes,
    }
  } finally {
    cluster.stop()
  }
}

/** Creates per second while `watchers` watch the kind; every watcher receives every event. */
export async function watched(load: Load, count: number, watchers: number): Promise<number> {
  const cluster = newCluster()
  try {
    let events = 0
    for (let index = 0; index < watchers; index++) {
      const { stream } = await ask(cluster, 'GET', `${load.path}?watch=true&timeoutSeconds=3600`)
      assert.ok(stream !== undefined)
      stream({ write: () => events++, close: () => {}, cut: () => {} })
    }
    const bodies = Array.from({ length: count }, (_, index) => JSON.stringify(load.object(index)))
    const createMs = await cpuMs(() => createAll(cluster, load, bodies))
    assert.equal(events, count * watchers)
    return perSecond(count, createMs)
  } finally {
    cluster.stop()
  }
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

async function define(cluster: Cluster): Promise<void> {
  await ask(cluster, 'POST', definitions, shopDefinition)
  while (cluster.server.registry.all().every(({ kind }) => kind !== 'Shop')) await turn()
}

function newCluster(): Cluster {
  const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
  return new Cluster({ clock: systemClock, random: systemRandom, controllers: [], tokens: new Map([['bench', admin]]) })
}

async function createAll(cluster: Cluster, { path }: Load, bodies: readonly string[]): Promise<void> {
  for (const [index, body] of bodies.entries()) {
    await ask(cluster, 'POST', path, body)
    if (index % 100 === 0) await turn()
  }
}

/**
 * Applies without a change, each object in turn, so that few of their trees are still in memory. The first apply after
 * the one that made the applier an owner discovers that nothing changes; later ones are known to change nothing.
 */
async function noOpApplies(
  cluster: Cluster,
  load: Load,
  bodies: readonly string[],
): Promise<{ readonly firstMs: number; readonly againMs: number }> {
  const applyAll = async () => {
    for (const [index, body] of bodies.entries())
      await ask(cluster, 'PATCH', `${load.path}/${nameOf(index)}?fieldManager=applier&force=true`, body)
  }
  await applyAll()
  const { revision } = cluster.server.log
  const firstMs = await cpuMs(applyAll)
  const againMs = await cpuMs(applyAll)
  assert.equal(cluster.server.log.revision, revision, 'an apply that changes nothing writes nothing')
  return { firstMs, againMs }
}

async function ask(
  cluster: Cluster,
  method: string,
  target: string,
  body: JsonObject | string = '',
): Promise<ApiAnswer> {
  const [path = '', query = ''] = target.split('?')
  const contentType = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json'
  const request: ApiRequest = {
    method,
    path,
    query: new URLSearchParams(query),
    header: (name) => (name === 'content-type' ? contentType : headers[name]),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
  const answer = await cluster.server.answer(request)
  assert.ok(answer.status < 300, `${method} ${target}: ${answer.body}`)
  return answer
}

/** Lets timers run, as sockets would. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function perSecond(count: number, ms: number): number {
  return (count / ms) * 1_000
}
