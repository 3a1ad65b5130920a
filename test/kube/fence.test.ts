import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/base/clock.ts'
import { Fence, FenceError } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { ModelApi } from '../model-api.ts'

const never = new AbortController().signal
const page = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' } }
const at = { namespace: 'default', name: 'a' }
const options = { fieldManager: 'test' }
const preconditions = { uid: 'a-1' }

function fenced() {
  const clock = new SimClock()
  const api = new ModelApi(clock)
  const fence = new Fence(clock)
  return { clock, api, fence, client: new FencedClient({ client: api, fence }) }
}

describe('a fence', () => {
  it('is closed at first, open until its time, and closed again', async () => {
    const clock = new SimClock()
    const fence = new Fence(clock)
    expect(fence.isOpen).toBe(false)
    fence.openUntil(1_000)
    expect(fence.isOpen).toBe(true)
    await clock.advance(999)
    expect(fence.isOpen).toBe(true)
    await clock.advance(1)
    expect(fence.isOpen).toBe(false)
  })

  it('is closed for a process that slept beyond its time, before any timer has run', () => {
    let nowMs = 0
    const clock: Clock = { now: () => 0, monotonicMs: () => nowMs, setTimer: () => ({ cancel: () => {} }) }
    const fence = new Fence(clock)
    fence.openUntil(1_000)
    nowMs = 1_000
    expect(() => fence.check()).toThrow(FenceError)
  })

  it('opened for longer stays open for longer', async () => {
    const clock = new SimClock()
    const fence = new Fence(clock)
    fence.openUntil(1_000)
    await clock.advance(500)
    fence.openUntil(1_500)
    await clock.advance(999)
    expect(fence.isOpen).toBe(true)
    await clock.advance(1)
    expect(fence.isOpen).toBe(false)
  })

  it('cuts off writes in flight when it closes, but none that has ended', () => {
    const fence = new Fence(new SimClock())
    fence.openUntil(1_000)
    const [ended, underWay] = [fence.enter(never), fence.enter(never)]
    ended.end()
    fence.close()
    expect([ended.signal.aborted, underWay.signal.aborted]).toEqual([false, true])
    expect(underWay.signal.reason).toBeInstanceOf(FenceError)
  })

  it('passes on the abort of the caller', () => {
    const fence = new Fence(new SimClock())
    fence.openUntil(1_000)
    const caller = new AbortController()
    const { signal } = fence.enter(caller.signal)
    caller.abort('enough')
    expect(signal.reason).toBe('enough')
    expect(fence.enter(caller.signal).signal.aborted).toBe(true)
  })
})

describe('a fenced client', () => {
  it.each<{ title: string; write: (client: FencedClient) => Promise<unknown> }>([
    { title: 'create', write: (client) => client.create(ConfigMap, page, options, never) },
    { title: 'apply', write: (client) => client.apply(ConfigMap, page, { ...options, force: true }, never) },
    { title: 'patch', write: (client) => client.patch(ConfigMap, at, { type: 'merge', body: {} }, options, never) },
    { title: 'delete', write: (client) => client.delete(ConfigMap, at, { preconditions }, never) },
  ])('lets a $title through only while the fence is open', async ({ title, write }) => {
    const { clock, api, fence, client } = fenced()
    if (title !== 'create') api.put(ConfigMap, page)
    await expect(write(client)).rejects.toMatchObject({ code: 'NotLeader', remedy: 'retry' })
    expect(api.requests).toEqual([])
    fence.openUntil(clock.monotonicMs() + 1)
    await write(client)
    expect(api.requests.map(({ verb }) => verb)).toEqual([title])
  })

  it('reads, lists and watches behind a closed fence', async () => {
    const { api, client } = fenced()
    api.put(ConfigMap, page)
    expect((await client.get(ConfigMap, at, never)).metadata.name).toBe('a')
    expect((await client.list(ConfigMap, {}, never)).items).toHaveLength(1)
    expect(await client.read('/version', never)).toHaveProperty('gitVersion')
    for await (const frame of client.watch(ConfigMap, { sendInitialEvents: true }, never)) {
      expect(frame.type).toBe('ADDED')
      break
    }
  })

  it('reports in one sentence why a write was not sent', async () => {
    const { client } = fenced()
    await expect(client.create(ConfigMap, page, options, never)).rejects.toThrow(
      'the write was not sent: this process does not hold the lease; its leader writes',
    )
  })
})
