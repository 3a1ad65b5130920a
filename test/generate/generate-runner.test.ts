import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GenerateOptions, generate } from '../../src/generate/generate-runner.ts'
import { compileErrors, makePackage } from './compile.ts'
import { crdOf } from './crds.ts'

const limitMs = 60_000
const signal = AbortSignal.timeout(limitMs)
const widget = JSON.stringify(crdOf({ spec: { type: 'object', properties: { size: { type: 'integer' } } } }))

let folder = ''
let crdFolder = ''
let outFolder = ''
const run = (mode: GenerateOptions['mode']) => generate({ crdFolder, outFolder, mode }, signal)
const define = (name: string, text: string) => writeFile(join(crdFolder, name), text)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'konverge-generate-'))
  crdFolder = join(folder, 'crds')
  outFolder = join(folder, 'imports')
  await mkdir(crdFolder)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('generate', () => {
  it(
    'reports the committed files as fresh',
    async () => {
      const files = await generate({ crdFolder: 'crds', outFolder: 'imports', mode: 'check' }, signal)
      expect(
        files.filter(({ state }) => state !== 'fresh'),
        'run `konverge generate`',
      ).toEqual([])
      expect(files.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['data.konverge.dev.ts', 'index.ts', 'wire/replicated-kv-store.ts']),
      )
    },
    limitMs,
  )

  it(
    'writes missing or stale files, removes orphaned ones, and is fresh afterwards',
    async () => {
      await define('widget.yaml', widget)
      expect(await run('check')).toEqual([
        { path: 'example.dev.ts', state: 'missing' },
        { path: 'index.ts', state: 'missing' },
        { path: 'wire/widget.ts', state: 'missing' },
      ])
      await expect(readdir(outFolder)).rejects.toThrow('ENOENT')

      await run('write')
      const text = await readFile(join(outFolder, 'wire/widget.ts'), 'utf8')
      const [firstLine = ''] = text.split('\n')
      await writeFile(join(outFolder, 'wire/widget.ts'), `${firstLine}\nexport {}\n`)
      await writeFile(join(outFolder, 'wire/gadget.ts'), text)
      await writeFile(join(outFolder, 'mine.ts'), 'export {}\n')
      expect(await run('write')).toEqual([
        { path: 'example.dev.ts', state: 'fresh' },
        { path: 'index.ts', state: 'fresh' },
        { path: 'wire/gadget.ts', state: 'orphaned' },
        { path: 'wire/widget.ts', state: 'stale' },
      ])
      expect((await run('check')).map(({ state }) => state)).toEqual(['fresh', 'fresh', 'fresh'])
      expect(await readFile(join(outFolder, 'wire/widget.ts'), 'utf8')).toBe(text)
      expect((await readdir(outFolder)).sort()).toEqual(['example.dev.ts', 'index.ts', 'mine.ts', 'wire'])
    },
    limitMs,
  )

  it(
    'puts all kinds of a group into one module, and compiles under the strict flags',
    async () => {
      const gadget = widget.replaceAll('Widget', 'Gadget').replaceAll('widgets', 'gadgets')
      await define('all.yml', `# two documents and an empty one\n${widget}\n---\n${gadget}\n---\n`)
      const files = await run('write')
      expect(files.map(({ path }) => path)).toEqual(['example.dev.ts', 'index.ts', 'wire/gadget.ts', 'wire/widget.ts'])
      const text = await readFile(join(outFolder, 'example.dev.ts'), 'utf8')
      expect(text).toContain('export class Gadget extends ApiObject')
      expect(text).toContain('export class Widget extends ApiObject')
      await makePackage(folder)
      expect(await compileErrors(folder)).toEqual([])
    },
    limitMs,
  )

  it.each<[string, Readonly<Record<string, string>>, object]>([
    ['an empty folder', {}, { code: 'Unreadable', source: 'crds' }],
    ['text that is no YAML', { 'a.yaml': 'a: [' }, { code: 'Unreadable', source: 'crds/a.yaml' }],
    ['an alias of nothing', { 'a.yaml': 'a: *b' }, { code: 'Unreadable', source: 'crds/a.yaml' }],
    [
      'aliases that explode',
      {
        'a.yaml': `a: &a [x, x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]}, `.repeat(9)}]`).join('\n')}`,
      },
      { code: 'Unreadable', source: 'crds/a.yaml' },
    ],
    ['a document that is no object', { 'a.yaml': '- 1' }, { code: 'NotACrd', source: 'crds/a.yaml' }],
    ['another kind of object', { 'a.yaml': 'kind: Service' }, { code: 'NotACrd', source: 'crds/a.yaml' }],
    ['the same kind twice', { 'a.yaml': widget, 'b.yaml': widget }, { code: 'DuplicateKind', source: 'crds/b.yaml' }],
    [
      'two kinds of one file name',
      { 'a.yaml': widget, 'b.yaml': widget.replaceAll('"Widget"', '"WIDGET"') },
      { code: 'DuplicateKind', source: 'crds/b.yaml' },
    ],
  ])('rejects %s and writes nothing', async (_name, definitions, error) => {
    for (const [name, text] of Object.entries(definitions)) await define(name, text)
    await expect(run('write')).rejects.toMatchObject({ ...error, remedy: 'stop' })
    await expect(readdir(outFolder)).rejects.toThrow('ENOENT')
  })

  it('rejects a missing folder', async () => {
    await rm(crdFolder, { recursive: true })
    await expect(run('check')).rejects.toMatchObject({ code: 'Unreadable', source: 'crds' })
  })

  it(
    'never overwrites a file that it did not generate',
    async () => {
      await define('widget.yaml', widget)
      await mkdir(outFolder)
      await writeFile(join(outFolder, 'index.ts'), 'export const mine = 1\n')
      await expect(run('write')).rejects.toMatchObject({ code: 'ForeignFile', source: 'index.ts' })
      expect(await readdir(outFolder)).toEqual(['index.ts'])
      expect(await readFile(join(outFolder, 'index.ts'), 'utf8')).toBe('export const mine = 1\n')
    },
    limitMs,
  )

  it('writes nothing if one output path is blocked', { timeout: limitMs }, async () => {
    await define('widget.yaml', widget)
    await mkdir(join(outFolder, 'wire', 'widget.ts'), { recursive: true })
    await expect(run('write')).rejects.toMatchObject({ code: 'ForeignFile', source: 'wire/widget.ts' })
    expect(await readdir(outFolder)).toEqual(['wire'])
  })

  it('names the path of the part that constructs cannot express, and writes nothing', async () => {
    const item = { type: 'object', properties: { constructor: { type: 'string' } } }
    const spec = { type: 'object', properties: { list: { type: 'array', items: item } } }
    await define('widget.yaml', JSON.stringify(crdOf({ spec })))
    await expect(run('write')).rejects.toMatchObject({
      code: 'UnsupportedSchema',
      source: 'crds/widget.yaml',
      path: 'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.items.properties.constructor',
    })
    await expect(readdir(outFolder)).rejects.toThrow('ENOENT')
  })

  it('ends when its signal aborts', async () => {
    await define('widget.yaml', widget)
    const reason = new Error('stop')
    await expect(generate({ crdFolder, outFolder, mode: 'write' }, AbortSignal.abort(reason))).rejects.toThrow()
    await expect(readdir(outFolder)).rejects.toThrow('ENOENT')
  })
})
