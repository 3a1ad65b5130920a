// Test of a slow watch client: the initial state may exceed the limit of unsent bytes.
import { afterEach, expect, it } from 'vitest'
import type { StreamSink } from '../../src/apiserver/exchange.ts'
import { settle } from '../../src/testing/sim-clock.ts'
import { AskedCluster } from './asked-cluster.ts'

const asked = new AskedCluster({ controllers: ['garbage-collector'] })
afterEach(() => asked.stop())
const path = '/api/v1/namespaces/default/configmaps'
const megabyte = 1_000_000

/** Client that records lines, as `added a` or `end`, and the number of unread characters. */
class SlowClient implements StreamSink {
  readonly lines: string[] = []
  waitingBytes = 0
  #read = Promise.withResolvers<void>()

  write(chunk: string): void {
    this.waitingBytes += chunk.length
    const { type, object } = JSON.parse(chunk)
    const isEnd = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
    this.lines.push(isEnd ? `end ${object.metadata.resourceVersion}` : `${type} ${object.metadata.name}`)
  }

  drained(): Promise<void> {
    return this.#read.promise
  }

  async read(): Promise<void> {
    this.waitingBytes = 0
    this.#read.resolve()
    this.#read = Promise.withResolvers()
    await settle()
  }

  close(): void {
    this.lines.push('closed')
  }

  cut(): void {
    this.lines.push('cut')
  }
}

it('receives the state at its own pace, then missed writes in order, then events', async () => {
  const put = (name: string) => asked.create(path, { metadata: { name }, data: { text: 'x'.repeat(megabyte) } })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await put(name)
  const client = new SlowClient()
  const { stream } = await asked.cluster.server.answer({
    method: 'GET',
    path,
    query: new URLSearchParams(
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    ),
    header: (name) => (name === 'authorization' ? 'Bearer root' : undefined),
    headerNames: ['authorization'],
    body: '',
  })
  const stop = stream?.(client)
  expect(client.waitingBytes).toBeLessThan(3 * megabyte)
  await put('f')
  await asked.send('DELETE', `${path}/a`)
  await asked.clock.advance(61_000)
  expect(client.lines, 'neither events nor bookmarks overtake').toEqual(['ADDED a', 'ADDED b'])
  for (let reads = 0; reads < 4; reads++) {
    await client.read()
    expect(client.waitingBytes).toBeLessThan(3 * megabyte)
  }
  const { resourceVersion } = (await asked.send('GET', path)).body.metadata
  const state = [
    'ADDED a',
    'ADDED b',
    'ADDED c',
    'ADDED d',
    'ADDED e',
    'ADDED f',
    'DELETED a',
    `end ${resourceVersion}`,
  ]
  expect(client.lines).toEqual(state)
  await asked.send('DELETE', `${path}/b`)
  expect(client.lines).toEqual([...state, 'DELETED b'])
  stop?.()
})
