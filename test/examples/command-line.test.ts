// The command-line example with settings: its install manifests, and its process on the embedded API server over HTTPS.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { Website } from '../../examples/01-minimal/website.ts'
import { startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { ConfigMap, CustomResourceDefinition, startOperator, valueAt } from '../../src/index.ts'
import { konverge, sentenceOf } from '../cli/konverge.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { ExampleProcess } from './example-process.ts'

const folder = new URL('../../examples/', import.meta.url)
const program = fileURLToPath(new URL('command-line/main.ts', folder))
const definition = parse(readFileSync(new URL('01-minimal/website.crd.yaml', folder), 'utf8'))
const limitMs = 240_000

async function installed(...args: readonly string[]) {
  const { stdout, stderr } = await konverge(['install', '--dry-run', ...args], {}, program)
  expect(stderr).toBe('')
  const objects = parseAllDocuments(stdout).map((document) => document.toJS())
  return (kind: string, name: string) => objects.find((object) => object.kind === kind && object.metadata.name === name)
}

describe.concurrent('the command-line example', { timeout: limitMs }, () => {
  it('installs the rights of its runnable with the flag that starts it', async () => {
    const rulesOf = (find: Awaited<ReturnType<typeof installed>>) =>
      find('Role', 'websites-system:websites').rules.map(({ resources }: { resources: string[] }) => resources.join())
    expect(rulesOf(await installed('--report')).join(' ')).toContain('configmaps')
    expect(rulesOf(await installed()).join(' ')).not.toContain('configmaps')
  })

  it('installs a named shard', async () => {
    const find = await installed('--shard', 'eu', '--selector', 'region=eu')
    const { containers } = find('Deployment', 'websites-eu').spec.template.spec
    expect(containers[0].args.slice(1, 4)).toEqual(['--namespaces=default', '--selector=region=eu', '--shard=eu'])
    expect(find('Role', 'websites-eu').rules[1]).toMatchObject({ resourceNames: ['websites-eu'] })
    expect(find('Namespace', 'websites-system').metadata.labels['app.kubernetes.io/name']).toBe('websites')
  })

  it('installs members that list their Leases', async () => {
    const find = await installed('--shard-by-hash', '--replicas', '3')
    expect(find('Deployment', 'websites').spec.replicas).toBe(3)
    expect(find('Role', 'websites').rules[0].verbs).toContain('list')
  })

  it('shares no resources by a hash beside its runnable', async () => {
    const ended = await konverge(['install', '--dry-run', '--shard-by-hash', '--report'], {}, program)
    expect(sentenceOf(ended)).toMatch(/^websites: runnables run where the leader is/)
    expect(ended.exitCode).toBe(2)
  })

  it('runs its runnable, as a shard', async () => {
    const server = await startEmbeddedServer({ host: '127.0.0.1', port: 0, controllers: [], onFault: () => {} })
    onTestFinished(() => server.stop())
    const { client, stop } = await startOperator({
      ...{ name: 'reader', controllers: [], environment: {}, kubeconfig: server.kubeconfigPath, userAgent: 'test/1' },
      ...{ output: { write: () => {} }, http: 'off' },
    })
    onTestFinished(() => stop())
    await client.create(CustomResourceDefinition, definition)
    const metadata = { namespace: 'default', name: 'home', labels: { region: 'eu' } }
    await client.create(Website, { metadata, spec: { image: 'registry.example/home:1', replicas: 3 } })
    const args = ['run', '--report', '--shard', 'eu', '--selector', 'region=eu', '--http-port', '0', '--http-host=::1']
    const example = new ExampleProcess('command-line/main.ts', server.kubeconfigPath, { args })
    onTestFinished(() => example.stop().then(() => {}))
    const at = { namespace: 'default', name: 'websites' }
    await waitUntil({ what: 'the report of the runnable' }, async () => {
      return valueAt(await client.get(ConfigMap, at), 'data', 'replicas') === '3'
    })
    await waitUntil({ what: 'the mark of the shard' }, async () => {
      const mark = valueAt(await client.get(Website, metadata), 'metadata', 'annotations', 'konverge.dev/shard')
      return String(mark).startsWith('eu')
    })
    expect(await example.stop()).toBe(0)
  })
})
