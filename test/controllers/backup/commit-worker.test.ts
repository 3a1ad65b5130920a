// Two workers of one backup: one has committed it, and the other one finds it. Invariant: both return the same backup.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commitOnce } from '../../../src/controllers/backup/commit-worker.ts'
import { readForm } from '../../../src/controllers/backup/manifest.ts'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { keysOf, never, pieces } from '../stores/contents.ts'

interface Content {
  readonly form: string
  readonly artifact: { readonly file: string }
}

const form = 'konverge/test/1'
const folder = 'shop/'

interface Meanwhile {
  /** Runs when half of the file is stored. */
  readonly inside?: () => Promise<unknown>
  /** Runs when all of the file is stored. */
  readonly behind?: () => Promise<unknown>
}

function work(store: ArtifactStore, file: string, { inside, behind }: Meanwhile = {}) {
  const save = async () => {
    await store.put(folder + file, halting(inside), { signal: never })
    await behind?.()
    return { form, artifact: { file } }
  }
  return commitOnce<Content>({ store, folder, file, save, read: (text) => readForm(text, form, {}) }, never)
}

async function* halting(inside?: () => Promise<unknown>): AsyncIterable<Uint8Array> {
  yield* pieces(3)
  await inside?.()
  yield* pieces(3)
}

async function stores(): Promise<readonly [FolderStore, FolderStore]> {
  const path = await mkdtemp(join(tmpdir(), 'konverge-commit-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return [new FolderStore({ folder: path, attempt: 'one' }), new FolderStore({ folder: path, attempt: 'two' })]
}

describe('a worker that another one overtakes', () => {
  it.each(['inside', 'behind'] as const)('finds the committed backup %s its file', async (when) => {
    const [one, two] = await stores()
    const outcome = await work(one, 'data-one', { [when]: () => work(two, 'data-two') })
    expect(outcome).toMatchObject({ kind: 'present', manifest: { artifact: { file: 'data-two' } } })
    expect(await keysOf(one)).toEqual(['shop/data-two', 'shop/manifest.json'])
  })

  it('gets an error when the file of the manifest is gone, as in a store that lets both workers write it', async () => {
    const [one, two] = await stores()
    const put: ArtifactStore['put'] = (key, content, { signal }) => one.put(key, content, { signal })
    const heedless = new Proxy(one, {
      get: (target, name) => {
        const value: unknown = name === 'put' ? put : Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await expect(work(heedless, 'data-one', { behind: () => work(two, 'data-two') })).rejects.toMatchObject({
      ...{ code: 'StoreRefused', remedy: 'stop' },
      message: expect.stringMatching(/^shop\/data-one in .* was stored and is gone: .* heed If-None-Match/),
    })
    expect(await keysOf(one)).toEqual(['shop/manifest.json'])
  })

  it('fails with its own error when no other worker has committed', async () => {
    const [one] = await stores()
    const failure = new Error('the tool was killed')
    await expect(work(one, 'data-one', { inside: () => Promise.reject(failure) })).rejects.toBe(failure)
    expect(await keysOf(one)).toEqual([])
  })
})
