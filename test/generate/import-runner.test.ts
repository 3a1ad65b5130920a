import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runImport } from '../../src/generate/import-runner.ts'
import { readCrd } from '../../src/generate/read-crd.ts'
import { crdOf } from './crds.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'konverge-import-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const spec = { type: 'object', properties: { $x: { type: 'string' } } }
const definition = { crd: readCrd(crdOf({ spec }), 'crds/widget.yaml'), source: 'crds/widget.yaml' }
const run = () =>
  runImport({ definitions: [definition], source: 'crds', searchFrom: folder }, AbortSignal.timeout(120_000))

/** Replaces `cdk8s import` by another program. */
async function install(program: string): Promise<void> {
  const place = join(folder, 'node_modules', 'cdk8s-cli', 'bin')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'cdk8s'), program)
}

const writes = (fileName: string, text: string) =>
  `const { mkdirSync, writeFileSync } = require('node:fs')
   mkdirSync('out')
   writeFileSync('out/${fileName}', ${JSON.stringify(text)})`

describe('runImport', () => {
  it('names the package to install if cdk8s-cli is missing', async () => {
    await expect(run()).rejects.toMatchObject({
      code: 'ImportFailed',
      message: 'generate from crds: cdk8s-cli is not installed; add it to the devDependencies',
    })
  })

  it.each<[string, string, string]>([
    ['fails', "console.error('no luck'); process.exitCode = 3", 'cdk8s import ended with 3: no luck'],
    ['leaves a group out', writes('other.dev.ts', ''), 'cdk8s import wrote no module for example.dev'],
    ['leaves a field out', writes('example.dev.ts', ''), 'cdk8s import lost the field $x'],
    [
      'strips a value',
      writes('example.dev.ts', "A = '__stripped_by_cdk8s__', 'wirex0': "),
      'cdk8s import stripped a text that is needed',
    ],
  ])('rejects when the program %s', async (_name, program, message) => {
    await install(program)
    await expect(run()).rejects.toMatchObject({ code: 'ImportFailed', message: `generate from crds: ${message}` })
  })

  it('restores real names', async () => {
    await install(writes('example.dev.ts', "  readonly wirex0?: string;\n    'wirex0': obj.wirex0,\n"))
    const [module] = await run()
    expect(module?.fileName).toBe('example.dev.ts')
    expect(module?.text).toContain("  readonly '$x'?: string;\n    ['$x']: obj['$x'],\n")
  })
})
