// `konverge dev` on the embedded control plane: its output, and its cleanup after every kind of end.
import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runningPrograms } from '../control-plane/running-programs.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { askBy } from './ask-by.ts'
import { konverge, noHome, sentenceOf } from './konverge.ts'
import { RunningKonverge } from './running-konverge.ts'

const stores = '/apis/data.konverge.dev/v1alpha1/namespaces/shop/replicatedkvstores'
const builtProgram = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli', 'main.js')
const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const startsByShell = "require('node:child_process').spawn('sh', ['-c', process.argv[1]], { stdio: 'ignore' })"

let folder: string
let running: RunningKonverge[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-dev-test-'))
  chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
  running = []
})

afterEach(() => {
  for (const one of running) one.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

// Each run starts and stops a PostgreSQL.
describe('konverge dev', { timeout: 300_000 }, () => {
  it('shows its samples until all are Ready, serves its kubeconfig, and leaves nothing behind after Ctrl-C', {
    timeout: 300_000,
  }, async () => {
    const kubeconfig = join(folder, 'kubeconfig')
    const run = await start('--kubeconfig', kubeconfig)
    await run.says('All are Ready')
    await run.says('Ctrl-C ends everything')
    expect(run.stdout).toContain(`export KUBECONFIG=${kubeconfig}\n`)
    const [metricsUrl = ''] = /http\S+\/metrics/.exec(run.stdout) ?? []
    expect((await fetch(metricsUrl)).status).toBe(200)
    for (const store of ['games/leaderboard', 'games/lobby', 'media/playlists', 'media/thumbnails', 'shop/sessions'])
      expect(run.stdout).toMatch(new RegExp(`^kv ${store} .* True +AllReplicasReady`, 'm'))
    expect(run.stdout).toMatch(/^db shop\/orders +PostgreSQL \d+\.\d+ +True +InSync/m)
    expect(run.stdout).toMatch(/^dbu shop\/orders-app +ReadWrite on orders +True +InSync/m)
    expect(run.stdout).toMatch(/^mig shop\/orders-v1 +3\/3 steps +True +AllStepsVerified/m)
    expect(run.stdout).toMatch(/^bak shop\/nightly-\d+ +\d+ bytes +True +RestoreVerified/m)
    const { status } = await askBy(kubeconfig, { method: 'GET', path: `${stores}/cart` })
    expect(status).toBe(200)
    expect(await run.end('SIGINT')).toBe(0)
    expect(run.stdout.match(/stopping/g)).toHaveLength(1)
    expect(run.stderr).toBe('')
    expect(readdirSync(folder)).toEqual([])
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('leaves nothing behind after %s', async (signal) => {
    const run = await start()
    expect(await run.end(signal)).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('ends when its output has no reader', async () => {
    const run = await start('--persist', join(folder, 'log'))
    run.closeOutput()
    // Only a write detects that.
    const patch = { method: 'DELETE', path: `${stores}/cart` } as const
    await askBy(join(folder, 'log', 'kubeconfig'), patch)
    expect(await run.end()).toBe(0)
    expect(existsSync(join(folder, 'log', 'lock'))).toBe(false)
  })

  it.each([
    { title: 'the shell that started it,', starter: ['sh', '-c'] },
    // The shell stays, with the program as its child.
    { title: 'what started it by a shell, as npm does,', starter: [process.execPath, '-e', startsByShell] },
  ])('ends when $title is killed', async ({ starter: [starter = '', ...args] }) => {
    const command = `${process.execPath} ${program} dev --no-samples; true`
    const env = { ...process.env, HOME: noHome, TMPDIR: folder }
    const started = spawn(starter, [...args, command], { env, stdio: 'ignore' })
    await waitUntil({ what: 'its kubeconfig' }, async () =>
      readdirSync(folder).some((name) => existsSync(join(folder, name, 'operator.log'))),
    )
    started.kill('SIGKILL')
    await waitUntil({ what: 'its end' }, async () => readdirSync(folder).length === 0)
  })

  it('continues with all acknowledged writes after a kill', async () => {
    const persist = join(folder, 'log')
    const ask = (method: 'GET' | 'PATCH', name: string, body?: object) =>
      askBy(join(persist, 'kubeconfig'), {
        method,
        path: `${stores}/${name}`,
        contentType: 'application/merge-patch+json',
        ...(body === undefined ? {} : { body }),
      })
    const first = await start('--persist', persist)
    expect((await ask('PATCH', 'cart', { spec: { replicas: 4 } })).status).toBe(200)
    await first.says(`keeps all that was written in ${persist}`)
    const kept = join(folder, 'kubeconfig')
    copyFileSync(join(persist, 'kubeconfig'), kept)
    const token = { method: 'POST', path: '/api/v1/namespaces/shop/serviceaccounts/default/token', body: {} } as const
    const accountToken: string = JSON.parse((await askBy(kept, token)).text).status.token
    expect(await first.end('SIGKILL')).toBe('SIGKILL')
    const second = await start('--persist', persist)
    expect(JSON.parse((await ask('GET', 'cart')).text)).toMatchObject({ spec: { replicas: 4 } })
    const review = { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews' } as const
    const reviewed = await askBy(kept, { ...review, body: { spec: { token: accountToken } } })
    expect(JSON.parse(reviewed.text).status).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:shop:default' },
    })
    expect(await second.end('SIGINT')).toBe(0)
    expect(readFileSync(join(persist, 'objects.log'), 'utf8')).toContain('"cart"')
  })

  it('removes leftovers of a killed process, and nothing of a running one', async () => {
    const killed = await start()
    expect(await killed.end('SIGKILL')).toBe('SIGKILL')
    const [left = ''] = readdirSync(folder)
    const strange = mkdtempSync(join(folder, 'konverge-dev-'))
    const [one, other] = [await start('--no-samples'), await start('--no-samples')]
    // In parallel to their start.
    await waitUntil({ what: 'what was left to go' }, async () => !readdirSync(folder).includes(left))
    expect(readdirSync(folder)).toHaveLength(3)
    expect(await one.end('SIGINT')).toBe(0)
    expect(await other.end('SIGINT')).toBe(0)
    expect(readdirSync(folder)).toEqual([basename(strange)])
  })

  it('has no stores with --no-samples; as the built program', async () => {
    const run = new RunningKonverge(['dev', '--no-samples'], { TMPDIR: folder }, builtProgram)
    running.push(run)
    await run.says('There are no resources yet')
    await run.says('Ctrl-C ends everything')
    expect(await run.end('SIGINT')).toBe(0)
    expect(runningPrograms().filter(({ command }) => command.includes(folder))).toEqual([])
  })

  it.each([
    { title: 'an unknown control plane', args: ['--control-plane', 'borrowed'], sentence: /'borrowed' is none/ },
    {
      title: 'a port for the real one',
      args: ['--control-plane', 'real', '--port', '1'],
      sentence: /^konverge: --port: /,
    },
  ])('rejects $title', async ({ args, sentence }) => {
    const ended = await konverge(['dev', ...args])
    expect(sentenceOf(ended)).toMatch(sentence)
    expect(ended.exitCode).toBe(2)
  })
})

async function start(...args: readonly string[]): Promise<RunningKonverge> {
  const run = new RunningKonverge(['dev', ...args], { TMPDIR: folder })
  running.push(run)
  await run.says(args.includes('--no-samples') ? 'There are no resources yet' : 'shop/cart')
  return run
}
