// The examples as programs against a real API server, as the guide describes.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { konverge } from '../cli/konverge.ts'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { ExampleProcess } from './example-process.ts'

const cluster = attachToControlPlane()
const examples = join(import.meta.dirname, '..', '..', 'examples', '01-minimal')
const websites = join(examples, 'main.ts')
let program: ExampleProcess | undefined

beforeAll(async () => {
  for (const path of [
    '01-minimal/website.crd.yaml',
    '02-owned-children/wiki.crd.yaml',
    '03-external/dns-record.crd.yaml',
    '04-saga/archive.crd.yaml',
    'multi-cluster/storefront.crd.yaml',
  ]) {
    await cluster.apply(...(await objectsOf(path)))
  }
  await kubectl(
    'wait',
    '--for=condition=Established',
    'crd/websites.example.com',
    'crd/wikis.example.com',
    'crd/dnsrecords.example.com',
  )
})
afterEach(async () => {
  await program?.stop()
  program = undefined
})

it('01-minimal makes a Website ready', async () => {
  program = new ExampleProcess('01-minimal/main.ts', cluster.connection.kubeconfigPath, {
    args: ['run', '--http-port=0'],
  })
  await cluster.apply(...(await objectsOf('01-minimal/website.yaml')))
  await until('the website to be ready', 'website/home', 'Ready=True/Settled')
  expect(await kubectl('get', 'deployment', 'home', '-o', 'jsonpath={.status.readyReplicas}')).toBe('2')
  const diff = (file: string, input = '') =>
    konverge(['diff', '-f', file, '--kubeconfig', cluster.connection.kubeconfigPath], { input }, websites)
  expect(await diff(`${examples}/website.yaml`)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  const grown = (await readFile(`${examples}/website.yaml`, 'utf8')).replace('replicas: 2', 'replicas: 3')
  const lines = ['Website', 'Deployment'].map((kind) => `change ${kind} default/home\n  spec.replicas: 2 → 3\n`)
  expect(await diff('-', grown)).toEqual({ exitCode: 1, stdout: lines.join(''), stderr: '' })
  await kubectl('delete', 'website', 'home', '--timeout=180s')
  expect(await program.stop(), program.output).toBe(0)
})

it('02-owned-children reconciles a Wiki from a missing theme over a new image to its deletion', async () => {
  program = new ExampleProcess('02-owned-children/main.ts', cluster.connection.kubeconfigPath)
  const [theme, wiki] = await objectsOf('02-owned-children/wiki.yaml')
  if (theme === undefined || wiki === undefined) throw new Error('wiki.yaml holds a theme and a wiki')
  await cluster.apply(wiki)
  await until('the wiki to be refused', 'wiki/handbook', 'Stalled=True/ThemeNotFound')
  await cluster.apply(theme)
  await until('the wiki to be ready', 'wiki/handbook', 'Ready=True/Settled')
  await until('its servers to be up', 'wiki/handbook', 'Available=True/Serving')

  const migrated = await kubectl('get', 'job', 'handbook-migration', '-o', 'jsonpath={.metadata.uid}')
  await kubectl('scale', 'deployment', 'handbook', '--replicas=2')
  await kubectl('patch', 'wiki', 'handbook', '--type=merge', '-p', '{"spec":{"image":"wiki:2.0"}}')
  await waitUntil({ what: 'the servers to have the new image', everyMs: 200 }, async () => {
    const path = 'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}'
    return (await kubectl('get', 'deployment', 'handbook', '-o', path)) === '2 wiki:2.0'
  })
  await until('the wiki to be ready again', 'wiki/handbook', 'Ready=True/Settled')
  expect(await kubectl('get', 'job', 'handbook-migration', '-o', 'jsonpath={.metadata.uid}')).not.toBe(migrated)

  await kubectl('delete', 'wiki', 'handbook', '--timeout=180s')
  expect(await kubectl('get', 'pvc', 'handbook-pages', '-o', 'name')).toBe('persistentvolumeclaim/handbook-pages')
  await waitUntil({ what: 'the last word on the pages', everyMs: 200 }, async () =>
    (await kubectl('get', 'events', '-o', 'jsonpath={.items[*].reason}')).includes('PagesKept'),
  )
  expect(await program.stop(), program.output).toBe(0)
})

it('03-external writes a DnsRecord into a folder, corrects it, and removes it', async () => {
  const zone = await mkdtemp(join(tmpdir(), 'zone-'))
  onTestFinished(() => rm(zone, { recursive: true, force: true }))
  program = new ExampleProcess('03-external/main.ts', cluster.connection.kubeconfigPath, {
    environment: { ZONE: zone },
  })
  await cluster.apply(...(await objectsOf('03-external/dns-record.yaml')))
  await until('the record to be written', 'dnsrecord/shop', 'Ready=True/Settled')
  const file = join(zone, 'shop.example.com')
  const entry = JSON.parse(await readFile(file, 'utf8')) as { readonly address: string; readonly owner: unknown }
  expect(entry.address).toBe('192.0.2.7')

  await writeFile(file, JSON.stringify({ ...entry, address: '198.51.100.1' }))
  await kubectl('annotate', 'dnsrecord', 'shop', 'konverge.dev/reconcile-now=1')
  await waitUntil({ what: 'the record to be put right', everyMs: 200 }, async () =>
    (await readFile(file, 'utf8')).includes('192.0.2.7'),
  )
  await kubectl('patch', 'dnsrecord', 'shop', '--type=merge', '-p', '{"spec":{"address":"192.0.2.8"}}')
  await until('the new address to be written', 'dnsrecord/shop', 'Ready=True/Settled')
  expect(await kubectl('get', 'dnsrecord', 'shop', '-o', 'jsonpath={.status.address}')).toBe('192.0.2.8')

  await kubectl('delete', 'dnsrecord', 'shop', '--timeout=180s')
  expect(await readdir(zone)).toEqual([])
  expect(await program.stop(), program.output).toBe(0)
})

it('04-saga moves an Archive to another folder, and compensates a move that cannot complete', async () => {
  const root = await mkdtemp(join(tmpdir(), 'archives-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  program = new ExampleProcess('04-saga/main.ts', cluster.connection.kubeconfigPath, {
    environment: { ROOT: root },
  })
  await cluster.apply(...(await objectsOf('04-saga/archive.yaml')))
  await until('the archive to have its folder', 'archive/letters', 'Ready=True/Settled')
  await writeFile(join(root, 'cellar', 'dear-john'), 'good-bye')

  await kubectl('patch', 'archive', 'letters', '--type=merge', '-p', '{"spec":{"folder":"attic"}}')
  await until('the move', 'archive/letters', 'Ready=True/Settled')
  expect(await kubectl('get', 'archive', 'letters', '-o', 'jsonpath={.status.folder}')).toBe('attic')
  expect(await readFile(join(root, 'attic', 'dear-john'), 'utf8')).toBe('good-bye')
  expect((await readdir(root)).sort()).toEqual(['attic', 'letters.pointer'])

  await mkdir(join(root, 'garage'))
  await kubectl('patch', 'archive', 'letters', '--type=merge', '-p', '{"spec":{"folder":"garage"}}')
  await until('the move to be taken back', 'archive/letters', 'Stalled=True/Compensated')
  expect(await readdir(join(root, 'garage'))).toEqual([])
  await kubectl('delete', 'archive', 'letters', '--timeout=180s')
  expect(await program.stop(), program.output).toBe(0)
})

it('multi-cluster creates the children of a Storefront by a separate connection, without owner references', async () => {
  // The same cluster by another connection: the operator does not assume that the clusters differ.
  const { kubeconfigPath } = cluster.connection
  program = new ExampleProcess('multi-cluster/main.ts', kubeconfigPath, {
    environment: { EDGE_KUBECONFIG: kubeconfigPath },
  })
  await cluster.apply(...(await objectsOf('multi-cluster/storefront.yaml')))
  await until('the storefront to be ready', 'storefront/shop', 'Ready=True/Settled')
  expect(await kubectl('get', 'deployment', 'shop', '-o', 'jsonpath={.metadata.ownerReferences}')).toBe('')
  const clusterUid = await kubectl('get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}')
  const recorded = await kubectl('get', 'storefront', 'shop', '-o', 'jsonpath={.status.inventory[*].cluster}')
  expect(recorded).toBe(`${clusterUid} ${clusterUid}`)
  await kubectl('delete', 'storefront', 'shop', '--timeout=180s')
  expect(await kubectl('get', 'deployment,service', '-l', 'konverge.dev/home-cluster', '-o', 'name')).toBe('')
  expect(await program.stop(), program.output).toBe(0)
})

it('05-shards shares Websites between processes, and takes over those of a killed one', async () => {
  const { kubeconfigPath } = cluster.connection
  const environment = { LEASE_NAMESPACE: 'default' }
  const start = () => new ExampleProcess('05-shards/main.ts', kubeconfigPath, { environment })
  const [killed, stopped] = [start(), start()]
  onTestFinished(async () => void (await Promise.all([killed.stop(), stopped.stop()])))
  const names = Array.from({ length: 24 }, (_, index) => `shard-site-${index}`)
  const manifest = (name: string, replicas: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Website',
    metadata: { name, namespace: 'default' },
    spec: { image: 'nginx:1.29', replicas },
  })
  const scale = async (replicas: number) => {
    await cluster.apply(...names.map((name) => manifest(name, replicas)))
    await waitUntil({ what: `all Deployments to have ${replicas} replicas`, everyMs: 500 }, async () => {
      const found = await kubectl(
        'get',
        'deployments',
        ...names,
        '--ignore-not-found',
        '-o',
        'jsonpath={.items[*].spec.replicas}',
      )
      return found === names.map(() => replicas).join(' ')
    })
  }
  const members = async () => {
    const path = 'jsonpath={range .items[*]}{.spec.holderIdentity}={.metadata.annotations.konverge\\.dev/slots} {end}'
    const text = await kubectl('get', 'leases', '-l', 'konverge.dev/members-of=websites', '-o', path)
    return text.split(' ').filter((entry) => !entry.startsWith('=') && entry !== '' && !entry.endsWith('=/256'))
  }
  await waitUntil({ what: 'two members with slots', everyMs: 500 }, async () => (await members()).length === 2)
  await scale(1)
  await killed.kill()
  await scale(2)
  await waitUntil({ what: 'one member with all slots', everyMs: 500 }, async () => {
    const [only, ...others] = await members()
    return others.length === 0 && only?.endsWith('=0-255/256') === true
  })
  await kubectl('delete', 'websites', ...names, '--timeout=180s')
  expect(await stopped.stop(), stopped.output).toBe(0)
  expect(await members()).toEqual([])
  await kubectl('delete', 'lease', 'websites')
})

async function objectsOf(path: string): Promise<readonly object[]> {
  const text = await readFile(new URL(`../../examples/${path}`, import.meta.url), 'utf8')
  return parseAllDocuments(text).map((document) => document.toJS() as object)
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await cluster.kubectl('-n', 'default', ...args)
  if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

/** Waits until the condition, `Type=Status/Reason`, has the generation of the newest spec. */
async function until(what: string, name: string, condition: string): Promise<void> {
  const generation = '{.metadata.generation}={.status.observedGeneration}'
  const conditions = '{range .status.conditions[*]} {.type}={.status}/{.reason}{end}'
  let seen = ''
  try {
    await waitUntil({ what, everyMs: 200 }, async () => {
      seen = await kubectl('get', name, '-o', `jsonpath=${generation}${conditions}`)
      return /^(\d+)=\1 /.test(seen) && seen.split(' ').includes(condition)
    })
  } catch (cause) {
    throw new Error(`${what}: ${seen}\n${program?.output}`, { cause })
  }
}
