// Cleanup of an unfinished backup. Invariant: it keeps everything that may be a backup, also when the store misses
// files that exist.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { manifestKey } from '../../../src/controllers/backup/artifact-layout.ts'
import { type TidyOrder, tidyBackup } from '../../../src/controllers/backup/tidy-worker.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { StoreError } from '../../../src/controllers/stores/store-error.ts'
import { keysOf, never, pieces } from '../stores/contents.ts'

const backup = { uid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427', namespace: 'shop', name: 'once' }
const folder = 'shop/crm/one/'
const data = `${folder}data-1.dump`
const manifest = manifestKey(folder)

/** Reports every file as missing, as a proxy in front of a store may. */
class ForgetfulStore extends FolderStore {
  // biome-ignore lint/correctness/useYield: it comes to no content.
  override async *read(): AsyncIterable<Uint8Array> {
    throw new StoreError({ code: 'NotStored', message: 'it is not there', remedy: 'stop' })
  }
}

async function stored(keys: readonly string[], Store = FolderStore): Promise<FolderStore> {
  const place = await mkdtemp(join(tmpdir(), 'konverge-tidy-'))
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const store = new Store({ folder: place, attempt: 'one' })
  for (const key of keys) await store.put(key, pieces(1), { signal: never })
  return store
}

const tidied = (store: FolderStore, order: Partial<TidyOrder> = {}) =>
  tidyBackup({ backup, folder, ...order }, { store, server: undefined }, never)

describe('the cleanup', () => {
  it('removes what never became a backup, and keeps the neighbouring files', async () => {
    const store = await stored([data, 'shop/crm/another/data-1.dump'])
    await tidied(store)
    expect(await keysOf(store)).toEqual(['shop/crm/another/data-1.dump'])
  })

  it('removes nothing when there was a manifest that the store does not find', async () => {
    const store = await stored([data])
    await expect(tidied(store, { isMade: true })).rejects.toMatchObject({ code: 'ManifestRefused' })
    expect(await keysOf(store)).toEqual([data])
  })

  it('removes nothing beside a manifest that the store did not find at first', async () => {
    const store = await stored([data, manifest], ForgetfulStore)
    await expect(tidied(store)).rejects.toMatchObject({ code: 'ManifestRefused', remedy: 'retry' })
    expect(await keysOf(store)).toEqual([data, manifest])
  })

  it('removes nothing beside an unreadable manifest', async () => {
    const store = await stored([data, manifest])
    await expect(tidied(store)).rejects.toMatchObject({ code: 'ManifestRefused', remedy: 'stop' })
    expect(await keysOf(store)).toEqual([data, manifest])
  })
})
