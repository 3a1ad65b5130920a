// What does every store promise? One suite for all of them.
import { expect, it } from 'vitest'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'
import { brokenAfter, keysOf, never, pieces, sha256Of, whole } from './contents.ts'

export function behavesAsStore(startStore: () => Promise<ArtifactStore>): void {
  it('gives back what was put, and says what it was', async () => {
    const store = await startStore()
    const bytes = await whole(pieces(300))
    const stored = await store.put('a/b/data.dump', pieces(300), { signal: never })
    expect(stored).toEqual({ sizeBytes: 300_000, sha256: sha256Of(bytes) })
    expect((await whole(store.read('a/b/data.dump', never))).equals(bytes)).toBe(true)
    expect(await store.find('a/b/data.dump', never)).toEqual({ key: 'a/b/data.dump', sizeBytes: 300_000 })
  })

  it('takes what is empty', async () => {
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

  it('says what is not there', async () => {
    const store = await startStore()
    expect(await store.find('no/thing', never)).toBeUndefined()
    await expect(whole(store.read('no/thing', never))).rejects.toMatchObject({ code: 'NotStored' })
    await store.delete('no/thing', never)
  })

  it('replaces, but not where only something new may come', async () => {
    const store = await startStore()
    await store.put('a', pieces(1), { signal: never })
    await store.put('a', pieces(2), { signal: never })
    const again = store.put('a', pieces(3), { signal: never, ifAbsent: true })
    await expect(again).rejects.toMatchObject({ code: 'AlreadyStored' })
    expect(await store.find('a', never)).toEqual({ key: 'a', sizeBytes: 2_000 })
    await store.put('b', pieces(1), { signal: never, ifAbsent: true })
    expect(await keysOf(store)).toEqual(['a', 'b'])
  })

  it('keeps nothing of content that breaks, and says why it broke', async () => {
    const store = await startStore()
    const broken = new Error('the tool was killed')
    await expect(store.put('a/b', brokenAfter(20, broken), { signal: never })).rejects.toBe(broken)
    expect(await keysOf(store)).toEqual([])
    expect(await store.sweep('', never)).toBe(0)
  })

  it('stops when it is told to', async () => {
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

  it('removes', async () => {
    const store = await startStore()
    await store.put('a/b/c', pieces(1), { signal: never })
    await store.put('a/d', pieces(1), { signal: never })
    await store.delete('a/b/c', never)
    expect(await keysOf(store)).toEqual(['a/d'])
  })

  it.each(['../outside', '/etc/passwd', 'a//b'])('refuses the key %s', async (key) => {
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
