// The operator of examples/01-minimal as a user has it: in a separate folder, on the packed package, by the entry
// points `konverge` and `konverge/cli`.
import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { askBy } from '../cli/ask-by.ts'
import { type Ended, konverge, sentenceOf } from '../cli/konverge.ts'
import { RunningKonverge } from '../cli/running-konverge.ts'
import { waitUntil } from '../control-plane/wait-until.ts'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const website = '/apis/example.com/v1/namespaces/default/websites/home'

let folder: string
let running: RunningKonverge[] = []
const program = () => join(folder, 'main.ts')
const resource = () => join(folder, 'website.yaml')
const ask = (...args: readonly string[]): Promise<Ended> => konverge(args, {}, program())

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-packed-'))
  chmodSync(folder, 0o711)
  // npm only packs: no script, no registry.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
  })
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }] // Output of npm.
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'konverge'), { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '-C', join(modules, 'konverge'), '--strip-components=1'])
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const example = join(root, 'examples', '01-minimal')
  for (const name of ['main.ts', 'website.ts', 'website.crd.yaml', 'website.yaml']) {
    const text = readFileSync(join(example, name), 'utf8')
    const own = text.replace("'../../src/cli/index.ts'", "'konverge/cli'").replace("'../../src/index.ts'", "'konverge'")
    writeFileSync(join(folder, name), own)
  }
})
afterEach(() => {
  for (const one of running) one.kill()
  running = []
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

describe('an operator on the packed package', { timeout: 300_000 }, () => {
  it('has the commands of konverge’s own program, its name and its version', async () => {
    const { stdout, exitCode } = await ask('--help')
    expect(exitCode).toBe(0)
    for (const command of ['run', 'install', 'dev', 'preview', 'diff', 'generate'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    expect(stdout).not.toMatch(/konverge|apiserver|worker/)
    expect(await ask('--version')).toEqual({ exitCode: 0, stdout: '1.0.0\n', stderr: '' })
  })

  it.each([
    {
      args: ['nope'],
      says: /^websites: unknown command 'nope': choose from run, install, dev, preview, diff, generate$/,
    },
    { args: ['run', '--controllers', 'shops'], says: /^websites: .*no controller 'shops'; choose from websites$/ },
    { args: ['preview', '-f', 'no.yaml'], says: /^websites: cannot read no\.yaml/ },
    { args: ['install', '--dry-run', '--replicas', '0'], says: /^websites: .*--replicas/ },
    { args: ['run', '--allow-secret', '*'], says: /unknown option '--allow-secret'/ },
  ])('reports the problem of $args in one sentence', async ({ args, says }) => {
    const ended = await ask(...args)
    expect(sentenceOf(ended)).toMatch(says)
    expect(ended.exitCode).toBe(2)
  })

  it('previews its resources', async () => {
    const { stdout, exitCode } = await ask('preview', '-f', resource())
    expect(exitCode).toBe(0)
    expect(stdout.match(/^kind: .*$/gm)).toEqual(['kind: Service', 'kind: Deployment'])
  })

  it('installs itself with its image, its name and the rights of its own controllers', async () => {
    const { stdout, exitCode } = await ask('install', '--dry-run')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('image: registry.example.com/websites:1.0.0')
    expect(stdout).toContain('namespace: websites-system')
    expect(stdout).toMatch(/- run\n +- --namespaces=default\n +- --metrics=protected\n/)
    expect(stdout).not.toMatch(/data\.konverge\.dev|--name=/)
  })

  it('runs in dev with its samples; run and diff work on that cluster', async () => {
    const kubeconfig = join(folder, 'kubeconfig')
    const dev = start('dev', '--kubeconfig', kubeconfig)
    await dev.says('All are Ready')
    await dev.says('Ctrl-C ends everything')
    expect(dev.stdout).toMatch(/^website default\/home +nginx:1\.29 +True +Settled/m)
    expect(dev.stdout).toContain('kubectl get website -A')
    expect(await diff(kubeconfig)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    writeFileSync(resource(), readFileSync(resource(), 'utf8').replace('replicas: 2', 'replicas: 3'))
    const lines = ['change Website default/home', '  spec.replicas: 2 → 3']
    const children = ['change Deployment default/home', '  spec.replicas: 2 → 3']
    const text = [...lines, ...children, ''].join('\n')
    expect(await diff(kubeconfig)).toEqual({ exitCode: 1, stdout: text, stderr: '' })
    expect(JSON.parse((await askBy(kubeconfig, { method: 'GET', path: website })).text).spec.replicas).toBe(2)
    expect(await dev.end('SIGINT')).toBe(0)
    expect(dev.stderr).toBe('')
    expect((await diff(kubeconfig)).exitCode).toBe(2)
  })

  it('runs against a cluster that has its CRDs', async () => {
    const kubeconfig = join(folder, 'other')
    // Its operator is another one, which leaves this one's resource alone.
    const server = new RunningKonverge(['apiserver', '--port=0', '--kubeconfig', kubeconfig])
    running.push(server)
    await server.says('the API server is at')
    const definition = parsed('website.crd.yaml')
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await askBy(kubeconfig, { method: 'POST', path: crds, body: definition })
    const operator = start('run', '--kubeconfig', kubeconfig, '--http-port=0', '--http-host=127.0.0.1')
    await operator.says('"working"')
    const body = parsed('website.yaml')
    await askBy(kubeconfig, { method: 'POST', path: website.replace('/home', ''), body })
    const service = { method: 'GET', path: '/api/v1/namespaces/default/services/home' } as const
    await waitUntil({ what: 'the Service' }, async () => (await askBy(kubeconfig, service)).status === 200)
    expect(await operator.end('SIGTERM')).toBe(0)
    expect(await server.end('SIGTERM')).toBe(0)
  })
})

function start(...args: readonly string[]): RunningKonverge {
  const one = new RunningKonverge(args, { TMPDIR: folder }, program())
  running.push(one)
  return one
}

const parsed = (name: string): object => parse(readFileSync(join(folder, name), 'utf8'))
const diff = (kubeconfig: string) => ask('diff', '-f', resource(), '--kubeconfig', kubeconfig)
