// Guarantees of every store, as one suite for all implementations.
import { expect, it } from 'vitest'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'
import { brokenAfter, keysOf, never, pieces, sha256Of, whole } from './contents.ts'

export function behavesAsStore(startStore: () => Promise<ArtifactStore>): void {
  it('returns the stored content and its checksum', async () => {
    const store = await startStore()
    const bytes = await whole(pieces(300))
    const stored = await store.put('a/b/data.dump', pieces(300), { signal: never })
    expect(stored).toEqual({ sizeBytes: 300_000, sha256: sha256Of(bytes) })
    expect((await whole(store.read('a/b/data.dump', never))).equals(bytes)).toBe(true)
    expect(await store.find('a/b/data.dump', never)).toEqual({ key: 'a/b/data.dump', sizeBytes: 300_000 })
  })

  it('accepts an empty file', async () => {
    const store = await startStore()
    await store.put('empty', pieces(0), { signal: never })
    expect(await store.find('empty', never)).toEqual({ key: 'empty', sizeBytes: 0 })
    expect(await whole(store.read('empty', never))).toHaveLength(0)
  })

  it('lists by prefix, in order', async () => {
    const store = await startStore()
    for (const key of ['b/2', 'a/1', 'b/1', 'bc/1']) await store.put(key, pieces(1), { signal: never })
    expect(await keysOf(store)).toEqual(['a/1', 'b/1', 'b/2', 'bc/1'])
    expect(await keysOf(store, 'b/')).toEqual(['b/1', 'b/2'])
    expect(await keysOf(store, 'nothing/here/')).toEqual([])
  })

  it('reports a missing file', async () => {
    const store = await startStore()
    expect(await store.find('no/thing', never)).toBeUndefined()
    await expect(whole(store.read('no/thing', never))).rejects.toMatchObject({ code: 'NotStored' })
    await store.delete('no/thing', never)
  })

  it('replaces a file, unless only a new one is allowed', async () => {
    const store = await startStore()
    await store.put('a', pieces(1), { signal: never })
    await store.put('a', pieces(2), { signal: never })
    const again = store.put('a', pieces(3), { signal: never, ifAbsent: true })
    await expect(again).rejects.toMatchObject({ code: 'AlreadyStored' })
    expect(await store.find('a', never)).toEqual({ key: 'a', sizeBytes: 2_000 })
    await store.put('b', pieces(1), { signal: never, ifAbsent: true })
    expect(await keysOf(store)).toEqual(['a', 'b'])
  })

  it('stores nothing when the content fails, and reports why', async () => {
    const store = await startStore()
    const broken = new Error('the tool was killed')
    await expect(store.put('a/b', brokenAfter(20, broken), { signal: never })).rejects.toBe(broken)
    expect(await keysOf(store)).toEqual([])
    expect(await store.sweep('', never)).toBe(0)
  })

  it('stops when it is aborted', async () => {
    const store = await startStore()
    const stopping = new AbortController()
    const reason = new Error('the worker ends')
    const put = store.put(
      'a',
      abortingAfter(5, () => stopping.abort(reason)),
      { signal: stopping.signal },
    )
    await expect(put).rejects.toBe(reason)
    expect(await keysOf(store)).toEqual([])
    expect(await store.sweep('', never)).toBe(0)
  })

  it('deletes a file', async () => {
    const store = await startStore()
    await store.put('a/b/c', pieces(1), { signal: never })
    await store.put('a/d', pieces(1), { signal: never })
    await store.delete('a/b/c', never)
    expect(await keysOf(store)).toEqual(['a/d'])
  })

  it.each(['../outside', '/etc/passwd', 'a//b'])('rejects the key %s', async (key) => {
    const store = await startStore()
    await expect(store.put(key, pieces(1), { signal: never })).rejects.toMatchObject({ code: 'InvalidKey' })
    await expect(store.delete(key, never)).rejects.toMatchObject({ code: 'InvalidKey' })
  })
}

async function* abortingAfter(count: number, abort: () => void): AsyncIterable<Uint8Array> {
  yield* pieces(count)
  abort()
  yield* pieces(100)
}
