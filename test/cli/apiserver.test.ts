import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { konverge, sentenceOf } from './konverge.ts'
import { RunningKonverge } from './running-konverge.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

let folder: string
let running: RunningKonverge[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-apiserver-test-'))
  running = []
})

afterEach(() => {
  for (const one of running) one.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('konverge apiserver', () => {
  it('prints its address, serves the holder of its kubeconfig, and leaves nothing behind', async () => {
    const server = await start()
    expect(server.stdout).toMatch(
      /^konverge: the API server is at https:\/\/127\.0\.0\.1:\d+; export KUBECONFIG=\S+\n$/,
    )
    const { status, text } = await server.ask({ method: 'GET', path: '/api/v1/namespaces/default' })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } })
    expect(server.kubeconfigPath.startsWith(folder)).toBe(true)
    expect(statSync(server.kubeconfigPath).mode & 0o777).toBe(0o600)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.stderr).toBe('')
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps every acknowledged write after a kill during writes', async () => {
    const persist = join(folder, 'log')
    const acknowledged: string[] = []
    for (const life of [1, 2]) {
      const server = await start('--persist', persist)
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let count = 0; ; count++) {
          const name = `life-${life}-${writer}-${count}`
          const body = { metadata: { name }, data: { text: 'x'.repeat(2_000) } }
          const { status } = await server.ask({ method: 'POST', path: configMaps, body })
          if (status === 201) acknowledged.push(name)
          if (count === 20 && writer === 0) server.kill()
        }
      })
      await Promise.allSettled(writers)
      expect(await server.end()).toBe('SIGKILL')
    }
    expect(acknowledged.length).toBeGreaterThan(40)
    const server = await start('--persist', persist)
    const { text } = await server.ask({ method: 'GET', path: configMaps })
    const { items } = JSON.parse(text) as {
      // Sound: the API server returns a list.
      readonly items: readonly { readonly metadata: { readonly name: string } }[]
    }
    const kept = new Set(items.map(({ metadata }) => metadata.name))
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([])
  })

  it('ends with one sentence and exit code 2 when its log is in use', async () => {
    const persist = join(folder, 'log')
    await start('--persist', persist)
    const ended = await konverge(['apiserver', '--port', '0', '--persist', persist])
    expect(sentenceOf(ended)).toMatch(/^konverge: .* is in use by process \d+/)
    expect(ended.exitCode).toBe(2)
  })
})

async function start(...args: readonly string[]): Promise<RunningKonverge> {
  const server = new RunningKonverge(['apiserver', '--port', '0', ...args], { TMPDIR: folder })
  running.push(server)
  await server.says('KUBECONFIG=')
  return server
}
