// The samples and the plain cdk8s app must give the manifests in test/golden/. They run as programs, as people run
// them. To accept a change, run vitest with --update.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { kvClusterProps } from '../../constructs/index.ts'
import type { ReplicatedKVStoreSpecInput } from '../../imports/index.ts'
import { render } from './render.ts'

const limitMs = 60_000

/** File names and texts that a program writes into the folder that it receives. */
async function manifestsOf(program: string, argumentsFor: (folder: string) => readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-samples-'))
  try {
    // cdk8s starts `node` by name; it must be the one that runs this test.
    const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
    const env = { ...process.env, PATH: path, CDK8S_OUTDIR: folder }
    await promisify(execFile)(process.execPath, [program, ...argumentsFor(folder)], { env, timeout: limitMs })
    const fileNames = (await readdir(folder)).sort()
    const texts = fileNames.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)
    return Object.fromEntries(await Promise.all(texts))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('the samples', () => {
  it(
    'give the golden manifests through cdk8s synth',
    async () => {
      const flags = (folder: string) => ['synth', '--output', folder, '--no-check-upgrade']
      const manifests = await manifestsOf('node_modules/cdk8s-cli/bin/cdk8s', flags)
      expect(Object.keys(manifests)).toEqual(['database.k8s.yaml', 'kv-store-custom.k8s.yaml', 'kv-store.k8s.yaml'])
      for (const [fileName, text] of Object.entries(manifests))
        await expect(text).toMatchFileSnapshot(`../golden/${fileName}`)
    },
    limitMs,
  )

  it('give the same in memory as through files', async () => {
    const { metadata, spec } = parse(await readFile('examples/kv-store-custom.yaml', 'utf8'))
    const golden = parseAllDocuments(await readFile('test/golden/kv-store-custom.k8s.yaml', 'utf8'))
    // The real test checks the samples against the CRD.
    const props = kvClusterProps(metadata.name, spec as ReplicatedKVStoreSpecInput)
    expect(render(props).objects).toEqual(golden.map((document) => document.toJS()))
  })
})

describe('the plain cdk8s app', () => {
  it(
    'gives the manifests of kv-store.yaml',
    async () => {
      const manifests = await manifestsOf('examples/cdk8s-app/main.ts', () => [])
      expect(Object.values(manifests)).toEqual([await readFile('test/golden/kv-store.k8s.yaml', 'utf8')])
    },
    limitMs,
  )
})
