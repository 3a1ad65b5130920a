// A folder as a store, also when the disk is full and when power fails between any two file operations.
import * as nodeFiles from 'node:fs/promises'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FileOperations, FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { keysOf, never, pieces, whole } from './contents.ts'
import { behavesAsStore } from './store-behaviour.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-store-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('a folder as a store', () => {
  behavesAsStore(async () => new FolderStore({ folder: await newFolder(), attempt: 'one' }))

  it('removes what a dead worker left', async () => {
    const folder = await newFolder()
    const store = new FolderStore({ folder, attempt: 'two' })
    await store.put('a/data', pieces(1), { signal: never })
    await writeFile(join(folder, 'a', 'data.one.partial'), 'half')
    expect(await keysOf(store)).toEqual(['a/data'])
    expect(await store.sweep('b/', never)).toBe(0)
    expect(await store.sweep('a/', never)).toBe(1)
    expect(await readdir(join(folder, 'a'))).toEqual(['data'])
  })

  it('ignores the files that a file system keeps there itself', async () => {
    const folder = await newFolder()
    const store = new FolderStore({ folder, attempt: 'one' })
    await store.put('a/data', pieces(1), { signal: never })
    await writeFile(join(folder, 'a', '.nfs000000000000a1b2'), 'removed')
    expect(await keysOf(store)).toEqual(['a/data'])
    expect(await store.sweep('', never)).toBe(0)
  })

  it.each(['EPERM', 'EOPNOTSUPP'])('reports missing hard links before it reads any content: %s', async (code) => {
    const folder = await newFolder()
    const refuse = () => Promise.reject(Object.assign(new Error(`${code}: link`), { code, errno: -1 }))
    const store = new FolderStore({ folder, attempt: 'one', files: { ...nodeFiles, link: refuse } })
    let isRead = false
    const content = async function* () {
      isRead = true
      yield* pieces(1)
    }
    await expect(store.put('data', content(), { signal: never })).rejects.toMatchObject({
      ...{ code: 'StoreRefused', remedy: 'stop' },
      message: `the volume at ${folder} makes no hard links, by which a backup is committed; take one that does, such as NFS, or S3`,
    })
    expect(isRead).toBe(false)
    expect(await readdir(folder)).toEqual([])
  })

  it('leaves no empty folders behind', async () => {
    const folder = await newFolder()
    const store = new FolderStore({ folder, attempt: 'one' })
    await store.put('a/b/c', pieces(1), { signal: never })
    await store.delete('a/b/c', never)
    expect(await readdir(folder)).toEqual([])
  })

  it('reports that the disk is full, and leaves nothing', async () => {
    const folder = await newFolder()
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 })
    const store = new FolderStore({ folder, attempt: 'one', files: failingAt(2, full) })
    await expect(store.put('data', pieces(5), { signal: never })).rejects.toMatchObject({
      code: 'StoreFull',
      remedy: 'retry',
      message: `could not store data in ${folder}: the disk is full`,
    })
    expect(await readdir(folder)).toEqual([])
  })

  it.each(['put', 'put of something new'])(
    'has a file whole or not at all, at whatever operation a %s dies',
    async (how) => {
      const bytes = await whole(pieces(50))
      const ifAbsent = how === 'put' ? {} : ({ ifAbsent: true } as const)
      let deaths = 0
      for (let at = 1; ; at += 1) {
        const folder = await newFolder()
        const dying = new FolderStore({ folder, attempt: 'one', files: dyingAt(at) })
        const hasDied = await dying.put('a/b/data', pieces(50), { signal: never, ...ifAbsent }).then(
          () => false,
          () => true,
        )
        const next = new FolderStore({ folder, attempt: 'two' })
        for (const key of await keysOf(next)) expect((await whole(next.read(key, never))).equals(bytes)).toBe(true)
        await next.put('a/b/data', pieces(50), { signal: never })
        await next.sweep('a/', never)
        expect(await readdir(join(folder, 'a', 'b'))).toEqual(['data'])
        if (!hasDied) break
        deaths += 1
      }
      expect(deaths).toBeGreaterThan(8)
    },
  )
})

type Step = () => void

/** Node's own operations, also on open files, each after a step. */
function stepped(step: Step): FileOperations {
  const before =
    <Args extends readonly unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      step()
      return operation(...args)
    }
  const open: FileOperations['open'] = async (...args) => {
    step()
    const file = await nodeFiles.open(...args)
    return new Proxy(file, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name === 'sync') step()
        return value.bind(target)
      },
    })
  }
  // Sound: each has the parameters and the result of the function that it calls.
  return {
    open,
    link: before(nodeFiles.link),
    mkdir: before(nodeFiles.mkdir),
    opendir: before(nodeFiles.opendir),
    rename: before(nodeFiles.rename),
    rm: before(nodeFiles.rm),
    rmdir: before(nodeFiles.rmdir),
    stat: before(nodeFiles.stat),
  } as FileOperations
}

/** From the nth operation on, all operations have no effect. */
function dyingAt(n: number): FileOperations {
  let seen = 0
  return stepped(() => {
    seen += 1
    if (seen >= n) throw new Error('the power is off')
  })
}

function failingAt(n: number, error: Error): FileOperations {
  let seen = 0
  return stepped(() => {
    seen += 1
    if (seen === n) throw error
  })
}
