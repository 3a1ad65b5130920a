// Test of a saga, on a cluster in the test's own process. The test can break a model of the world at any step. Outside
// this repository the imports read: from 'konverge' and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { archiveController } from './archive.ts'
import { Archive } from './archive-kind.ts'
import type { Files } from './files.ts'

const definition = parse(readFileSync(new URL('archive.crd.yaml', import.meta.url), 'utf8'))
const sample = parse(readFileSync(new URL('archive.yaml', import.meta.url), 'utf8'))

interface Folder {
  readonly mark: string | undefined
  readonly names: Set<string>
}

class FilesInMemory implements Files {
  readonly folders = new Map<string, Folder>()
  readonly pointers = new Map<string, string>()
  /** Operations that fail: `copy`. */
  readonly broken = new Set<string>()

  async list(folder: string): Promise<readonly string[] | undefined> {
    const names = this.folders.get(folder)?.names
    return names === undefined ? undefined : [...names]
  }

  async markOf(folder: string): Promise<string | undefined> {
    return this.folders.get(folder)?.mark
  }

  async copy(from: string | undefined, to: string, mark: string): Promise<void> {
    const names = this.folders.get(to)?.names ?? new Set()
    this.folders.set(to, { mark, names })
    for (const name of this.folders.get(from ?? '')?.names ?? []) {
      this.#mayFail('copy')
      names.add(name)
    }
  }

  async remove(folder: string): Promise<void> {
    this.#mayFail('remove')
    this.folders.delete(folder)
  }

  async pointer(archive: string): Promise<string | undefined> {
    return this.pointers.get(archive)
  }

  async point(archive: string, folder: string): Promise<void> {
    this.#mayFail('point')
    this.pointers.set(archive, folder)
  }

  #mayFail(operation: string): void {
    if (this.broken.has(operation)) throw new Error(`the disk does not ${operation}`)
  }
}

/** Creates an archive with two letters in the folder `cellar`. */
async function settled(cluster: TestCluster): Promise<FilesInMemory> {
  const files = new FilesInMemory()
  cluster.run(archiveController(files))
  await cluster.create(Archive, sample)
  await cluster.advance(5_000)
  for (const letter of ['a', 'b']) files.folders.get('cellar')?.names.add(letter)
  return files
}

const move = (cluster: TestCluster, spec: object) => cluster.patch(Archive, 'default/letters', { spec })
const placesOf = ({ folders }: FilesInMemory) =>
  [...folders].map(([folder, { names }]) => `${folder}: ${[...names].join()}`)

it('moves the files, and rests', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const files = await settled(cluster)
  await move(cluster, { folder: 'attic' })
  await cluster.advance(5_000)
  expect(placesOf(files)).toEqual(['attic: a,b'])
  expect(await cluster.find(Archive, 'default/letters')).toMatchObject({ status: { folder: 'attic' } })
  expect(await cluster.condition(Archive, 'letters', 'Moving')).toMatchObject({ status: 'False', reason: 'Completed' })
  expect(await cluster.requestsDuring(50_000)).toEqual([])
})

it('takes back what it copied when readers cannot be switched, and tries again when it is asked to', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const files = await settled(cluster)
  files.broken.add('point')
  await move(cluster, { folder: 'attic' })
  await cluster.advance(600_000)
  expect(placesOf(files)).toEqual(['cellar: a,b'])
  expect(await cluster.condition(Archive, 'letters', 'Stalled')).toMatchObject({
    message: 'move was taken back: Switch failed: the disk does not point; to try it again, raise spec.attempt',
  })
  files.broken.clear()
  await move(cluster, { attempt: 2 })
  await cluster.advance(5_000)
  expect(placesOf(files)).toEqual(['attic: a,b'])
})

it('goes no way back once readers use the new folder, and says what to do', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const files = await settled(cluster)
  files.broken.add('remove')
  await move(cluster, { folder: 'attic' })
  await cluster.advance(1_200_000)
  expect(placesOf(files)).toEqual(['cellar: a,b', 'attic: a,b'])
  expect(files.pointers.get('letters')).toBe('attic')
  expect(await cluster.condition(Archive, 'letters', 'Stalled')).toMatchObject({
    reason: 'ManualIntervention',
    message: expect.stringContaining(
      'Clean 3/3: the disk does not remove; put that right by hand, then raise spec.attempt',
    ),
  })
})

it('is cancelled by a spec that wants the files where they are', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const files = await settled(cluster)
  files.broken.add('copy')
  await move(cluster, { folder: 'attic' })
  await cluster.advance(3_000)
  await move(cluster, { folder: 'cellar' })
  await cluster.advance(60_000)
  expect(placesOf(files)).toEqual(['cellar: a,b'])
  expect(await cluster.condition(Archive, 'letters', 'Ready')).toMatchObject({ status: 'True' })
})

it('leaves alone a folder that is not its own', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  const files = await settled(cluster)
  files.folders.set('attic', { mark: undefined, names: new Set(['hat']) })
  await move(cluster, { folder: 'attic' })
  await cluster.advance(5_000)
  expect(placesOf(files)).toEqual(['cellar: a,b', 'attic: hat'])
  expect(await cluster.condition(Archive, 'letters', 'Stalled')).toMatchObject({ reason: 'Compensated' })
})
