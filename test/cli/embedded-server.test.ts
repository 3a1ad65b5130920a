import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CommandError } from '../../src/cli/command-error.ts'
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { askBy } from './ask-by.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const namespaces = '/api/v1/namespaces'

let folder: string
let servers: EmbeddedServer[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-embedded-'))
  servers = []
})

afterEach(async () => {
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('an embedded server', () => {
  it('is trusted only by its certificate', async () => {
    const { url } = await start({})
    const cause = expect.objectContaining({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    await expect(fetch(url)).rejects.toThrow(expect.objectContaining({ cause }))
  })

  it('overwrites its own kubeconfig, and removes it at the end', async () => {
    const first = await start({})
    const second = await start({})
    expect(await statusOf(second, '/version')).toBe(200)
    await first.stop()
    expect(existsSync(second.kubeconfigPath)).toBe(true)
    await second.stop()
    expect(existsSync(second.kubeconfigPath)).toBe(false)
  })

  it('accepts the given token', async () => {
    const server = await start({ token: 'an-open-secret' })
    expect(readFileSync(server.kubeconfigPath, 'utf8')).toContain('"an-open-secret"')
    expect(await statusOf(server, '/api/v1/pods')).toBe(200)
  })

  it.each(['0.0.0.0', '::'])('listens on %s if there is a token, with a local URL in its kubeconfig', async (host) => {
    const server = await start({ host, token: 'a-secret' })
    expect(new URL(server.url).hostname).toMatch(/^(127\.0\.0\.1|\[::1\])$/)
    expect(await statusOf(server, '/api/v1/pods')).toBe(200)
  })

  it('runs the controllers that are chosen, and no others', async () => {
    const both = [await start({}), await start({ kubeconfig: join(folder, 'none'), controllers: [] })] as const
    for (const { kubeconfigPath } of both) {
      await askBy(kubeconfigPath, { method: 'POST', path: namespaces, body: { metadata: { name: 'shop' } } })
      await askBy(kubeconfigPath, { method: 'DELETE', path: `${namespaces}/shop` })
    }
    const [all, none] = both
    const isGone = async () => (await statusOf(all, `${namespaces}/shop`)) === 404
    await waitUntil({ what: 'the end of the namespace' }, isGone)
    expect(await statusOf(none, `${namespaces}/shop`)).toBe(200)
  })

  it('persists its objects, with its kubeconfig beside them', async () => {
    const persist = join(folder, 'log')
    const first = await start({ persist, kubeconfig: undefined })
    expect(first.kubeconfigPath).toBe(join(persist, 'kubeconfig'))
    await create(first, 'one')
    await first.stop()
    expect(await statusOf(await start({ persist }), `${configMaps}/one`)).toBe(200)
  })

  it('keeps its identity across restarts, also after a run with a given token', async () => {
    const persist = join(folder, 'log')
    const first = await start({ persist })
    await first.stop()
    const second = await start({ persist, token: 'for-once' })
    expect(second).toMatchObject({ url: first.url, identity: first.identity, token: 'for-once' })
    await second.stop()
    const third = await start({ persist })
    expect(third).toMatchObject({ url: first.url, identity: first.identity, token: first.token })
    const keys = join(persist, 'keys')
    expect([keys, join(keys, 'server.json')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  })

  it('listens on another port if its own is in use', async () => {
    const persist = join(folder, 'log')
    const first = await start({ persist })
    await first.stop()
    const taker = createServer()
    await new Promise<void>((resolve) => taker.listen(Number(new URL(first.url).port), '127.0.0.1', resolve))
    const second = await start({ persist })
    taker.close()
    expect(second.url).not.toBe(first.url)
  })

  it('repairs a corrupt folder and keeps every complete record', async () => {
    const server = await start({ persist: await corruptLog(), repair: true })
    const answers = ['one', 'two', 'three'].map((name) => statusOf(server, `${configMaps}/${name}`))
    expect(await Promise.all(answers)).toEqual([200, 404, 200])
  })
})

describe('an embedded server is rejected with one sentence', () => {
  it.each(['0.0.0.0', '::', '10.0.0.7', 'example.com'])(
    'when others could reach it at %s without a token',
    async (host) => {
      expect(await refusal({ host })).toMatch(/^--host: .*--token/)
    },
  )

  it('when its token contains invalid characters', async () => {
    expect(await refusal({ token: 'two words' })).toMatch(/^--token: /)
    expect(await refusal({ token: '' })).toMatch(/^--token: /)
  })

  it('when its port is in use, and leaves nothing behind', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const sentence = await refusal({ port })
    taken.close()
    expect(sentence).toMatch(new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port}: .*--port names another`))
    expect(readdirSync(folder)).toEqual([])
  })

  it('when its persisted identity is damaged', async () => {
    const persist = join(folder, 'log')
    await (await start({ persist })).stop()
    const path = join(persist, 'keys', 'server.json')
    writeFileSync(path, '{"token":""}')
    expect(await refusal({ persist })).toBe(`--persist: ${path} is damaged; remove it, and clients get new credentials`)
  })

  it('when a controller is unknown, naming the known ones', async () => {
    const sentence = await refusal({ controllers: ['garbage-collector', 'nope'] })
    expect(sentence).toMatch(/there is no controller 'nope'; choose from garbage-collector-controller, .*, \*, none$/)
  })

  it('when its log is corrupt, naming place and remedy', async () => {
    expect(await refusal({ persist: await corruptLog() })).toMatch(
      /objects\.log is corrupt at byte [1-9]\d+; .*--repair/,
    )
  })

  it('when its folder cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '')
    expect(await refusal({ persist: join(folder, 'file') })).toMatch(/^--persist: cannot keep a log in /)
  })

  it('when the kubeconfig would overwrite a file of another program', async () => {
    const path = join(folder, 'config')
    const text = 'apiVersion: v1\nkind: Config\n'
    writeFileSync(path, text)
    expect(await refusal({ kubeconfig: path })).toContain(`${path} is there and not konverge’s own`)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('when the kubeconfig cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    expect(await refusal({ kubeconfig: join(folder, 'file', 'config') })).toMatch(/^cannot write the kubeconfig /)
  })
})

async function start(options: Partial<EmbeddedServerOptions>): Promise<EmbeddedServer> {
  const kubeconfig = join(folder, 'kubeconfig')
  const fixed = {
    host: '127.0.0.1',
    port: 0,
    kubeconfig,
    onFault: (thrown: unknown) => expect(thrown).toBe('no fault'),
  }
  const server = await startEmbeddedServer({ ...fixed, ...options })
  servers.push(server)
  return server
}

async function refusal(options: Partial<EmbeddedServerOptions>): Promise<string> {
  const thrown = await start(options).catch((error: unknown) => error)
  if (!(thrown instanceof CommandError)) throw thrown
  expect(thrown.exitCode).toBe(2)
  return thrown.message
}

async function statusOf({ kubeconfigPath }: EmbeddedServer, path: string): Promise<number> {
  return (await askBy(kubeconfigPath, { method: 'GET', path })).status
}

async function create({ kubeconfigPath }: EmbeddedServer, name: string): Promise<void> {
  await askBy(kubeconfigPath, { method: 'POST', path: configMaps, body: { metadata: { name } } })
}

/** Log with three ConfigMaps, the second of which is damaged. */
async function corruptLog(): Promise<string> {
  const persist = join(folder, 'log')
  const server = await start({ persist })
  for (const name of ['one', 'two', 'three']) await create(server, name)
  await server.stop()
  const path = join(persist, 'objects.log')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"name":"two"', '"name":"to"'))
  return persist
}
