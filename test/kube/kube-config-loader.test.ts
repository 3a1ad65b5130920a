import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Connection } from '../../src/kube/connection.ts'
import { ConnectionError } from '../../src/kube/connection-error.ts'
import { type LoadConnectionOptions, loadConnection } from '../../src/kube/kube-config-loader.ts'
import { SimClock, settle } from '../../src/testing/sim-clock.ts'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const signal = new AbortController().signal

let folder: string
let clock: SimClock
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-kube-'))
  clock = new SimClock()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

function configOf(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'dev',
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u', namespace: 'data' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://server:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  })
}

function load(
  source: LoadConnectionOptions['source'],
  options: Partial<LoadConnectionOptions> = {},
): Promise<Connection> {
  return loadConnection({ clock, source, environment: {}, ...options }, signal)
}

const loadText = (user: object, cluster?: object, environment = {}) =>
  load({ kind: 'text', text: configOf(user, cluster) }, { environment })

async function failureOf(work: Promise<unknown>): Promise<ConnectionError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(thrown).toBeInstanceOf(ConnectionError)
  return thrown as ConnectionError // Checked in the line above.
}

describe('loadConnection from files', () => {
  it('reads certificates and keys that the file names', async () => {
    for (const name of ['ca.pem', 'client.pem', 'client-key.pem']) write(name, readFileSync(fixture(name), 'utf8'))
    const path = write(
      'config',
      configOf(
        { 'client-certificate': 'client.pem', 'client-key': 'client-key.pem' },
        { 'certificate-authority': 'ca.pem' },
      ),
    )
    const connection = await load({ kind: 'files', paths: [path] })
    expect(connection).toMatchObject({
      server: 'https://server:6443',
      description: 'https://server:6443 (context "dev")',
      namespace: 'data',
      skipTlsVerify: false,
    })
    expect(await connection.credentials(signal)).toEqual({
      headers: {},
      authority: readFileSync(fixture('ca.pem'), 'utf8'),
      certificate: {
        certificate: readFileSync(fixture('client.pem'), 'utf8'),
        key: readFileSync(fixture('client-key.pem'), 'utf8'),
      },
    })
  })

  it('reads certificate, key and authority again after a minute, once they fit together', async () => {
    const copy = (name: string, from = name) => write(name, readFileSync(fixture(from), 'utf8'))
    for (const name of ['ca.pem', 'client.pem', 'client-key.pem']) copy(name)
    const user = { 'client-certificate': 'client.pem', 'client-key': 'client-key.pem', as: 'bob' }
    const path = write('config', configOf(user, { 'certificate-authority': 'ca.pem' }))
    const connection = await load({ kind: 'files', paths: [path] })
    const before = await connection.credentials(signal)
    copy('client.pem', 'server.pem')
    await clock.advance(60_000)
    expect(await connection.credentials(signal), 'the key is still the old one').toBe(before)
    copy('client-key.pem', 'server-key.pem')
    await clock.advance(60_000)
    const after = await connection.credentials(signal)
    expect(after.certificate?.key).toBe(readFileSync(fixture('server-key.pem'), 'utf8'))
    expect(after.headers).toEqual(before.headers)
    expect(await connection.credentials(signal)).toBe(after)
    copy('ca.pem', 'server.pem')
    connection.refuse(after)
    expect((await connection.credentials(signal)).authority).toBe(readFileSync(fixture('server.pem'), 'utf8'))
  })

  it('uses the proxy of the environment, unless the cluster names one', async () => {
    const environment = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'elsewhere' }
    expect((await loadText({}, {}, environment)).proxyUrl).toBe('http://proxy:3128')
    expect((await loadText({}, { 'proxy-url': 'http://own:1' }, environment)).proxyUrl).toBe('http://own:1')
    expect((await loadText({}, {}, { ...environment, NO_PROXY: 'server' })).proxyUrl).toBeUndefined()
  })

  it('loads the existing files and skips missing ones, as kubectl does', async () => {
    const paths = [join(folder, 'absent'), write('config', configOf({ token: 't' }))]
    expect((await load({ kind: 'files', paths })).server).toBe('https://server:6443')
  })

  it.each<[string, () => Promise<unknown>, string, RegExp]>([
    [
      'there is no file',
      () => load({ kind: 'files', paths: [join(folder, 'absent')] }),
      'ConfigMissing',
      /there is no kubeconfig at .*absent; name one/,
    ],
    [
      'the file is a folder',
      () => load({ kind: 'files', paths: [folder] }),
      'ConfigUnreadable',
      /cannot be read: .*check that it is a file/,
    ],
    [
      'the authority is missing',
      () => load({ kind: 'files', paths: [write('config', configOf({}, { 'certificate-authority': 'ca.pem' }))] }),
      'FileUnreadable',
      /the certificate authority of context "dev" cannot be read from .*ca\.pem: ENOENT/,
    ],
    [
      'the authority is no PEM',
      () =>
        load({
          kind: 'files',
          paths: [write('config', configOf({}, { 'certificate-authority': write('ca.pem', 'DER') }))],
        }),
      'FileUnreadable',
      /the certificate authority of context "dev" in .*ca\.pem is not PEM/,
    ],
    [
      'a certificate has no key',
      () =>
        load({ kind: 'files', paths: [write('config', configOf({ 'client-certificate': fixture('client.pem') }))] }),
      'ConfigMalformed',
      /has a client certificate or a client key but not both/,
    ],
  ])('names the remedy when %s', async (_what, run, code, sentence) => {
    const failure = await failureOf(run())
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(sentence)
  })

  it('stops with the reason of its signal', async () => {
    const path = write('config', configOf({}))
    const aborted = AbortSignal.abort(new Error('over'))
    await expect(
      loadConnection({ clock, source: { kind: 'files', paths: [path] }, environment: {} }, aborted),
    ).rejects.toThrow('over')
  })
})

describe('loadConnection by default', () => {
  const server = (name: string) => configOf({}, { server: `https://${name}` })

  it('uses KUBECONFIG, then the pod, then the home folder', async () => {
    const one = write('one', server('one'))
    write('.kube/config', server('home'))
    const environment = { HOME: folder, KUBECONFIG: `${delimiter}${join(folder, 'absent')}${delimiter}${one}` }
    expect((await load({ kind: 'default' }, { environment })).server).toBe('https://one')
    expect((await load({ kind: 'default' }, { environment: { HOME: folder } })).server).toBe('https://home')
    const inPod = { HOME: folder, KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }
    const failure = await failureOf(load({ kind: 'default' }, { environment: inPod, serviceAccountFolder: folder }))
    expect(failure.code).toBe('NotInCluster')
  })

  it('names the variables to set when none is set', async () => {
    expect(await failureOf(load({ kind: 'default' }))).toMatchObject({
      code: 'ConfigMissing',
      message: 'no API server is configured: set KUBECONFIG, or HOME, or run in a pod',
    })
  })
})

describe('loadConnection in a pod', () => {
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
  const loadInPod = () => load({ kind: 'in-cluster' }, { environment, serviceAccountFolder: folder })
  beforeEach(() => {
    write('ca.crt', readFileSync(fixture('ca.pem'), 'utf8'))
    write('namespace', 'data\n')
    write('token', 'one\n')
  })
  const tokenOf = async (connection: Connection) => (await connection.credentials(signal)).headers.authorization

  it('uses the service account', async () => {
    const connection = await loadInPod()
    expect(connection).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'data', skipTlsVerify: false })
    expect((await connection.credentials(signal)).authority).toContain('BEGIN CERTIFICATE')
    expect(await tokenOf(connection)).toBe('Bearer one')
  })

  it('reads the token again after a minute, and not before', async () => {
    const connection = await loadInPod()
    write('token', 'two')
    await clock.advance(59_999)
    expect(await tokenOf(connection)).toBe('Bearer one')
    await clock.advance(1)
    expect(await tokenOf(connection)).toBe('Bearer two')
  })

  it('reads the token again when the server rejected it', async () => {
    const connection = await loadInPod()
    const refused = await connection.credentials(signal)
    write('token', 'two')
    connection.refuse(refused)
    expect(await tokenOf(connection)).toBe('Bearer two')
    // A late rejection of the old token says nothing about the new one.
    write('token', 'three')
    connection.refuse(refused)
    expect(await tokenOf(connection)).toBe('Bearer two')
  })

  it('returns the same credentials while the token is the same', async () => {
    const connection = await loadInPod()
    const before = await connection.credentials(signal)
    connection.refuse(before)
    expect(await connection.credentials(signal)).toBe(before)
  })

  it('keeps the current token while the file cannot be read', async () => {
    const connection = await loadInPod()
    rmSync(join(folder, 'token'))
    await clock.advance(60_000)
    const kept = await connection.credentials(signal)
    expect(kept.headers.authorization).toBe('Bearer one')
    connection.refuse(kept)
    expect((await failureOf(connection.credentials(signal))).message).toMatch(/token file .* cannot be read: ENOENT/)
  })

  it.each(['token', 'ca.crt', 'namespace'])('names the remedy when the pod has no %s', async (name) => {
    rmSync(join(folder, name))
    const failure = await failureOf(loadInPod())
    expect(failure.code).toBe('NotInCluster')
    expect(failure.message).toContain(join(folder, name))
    expect(failure.message).toContain('automountServiceAccountToken')
  })

  it('reports that the process does not run in a pod', async () => {
    expect((await failureOf(load({ kind: 'in-cluster' }))).message).toContain('this is not a pod')
  })
})

describe('credentials of a user', () => {
  const headersOf = async (user: object) => (await (await loadText(user)).credentials(signal)).headers

  it.each<[string, object, object]>([
    ['a token', { token: 't' }, { authorization: 'Bearer t' }],
    ['a name and password', { username: 'a', password: 'b' }, { authorization: 'Basic YTpi' }],
    ['nothing', {}, {}],
    [
      'a token, acting as somebody else',
      { token: 't', as: 'bob', 'as-groups': ['ops'] },
      { authorization: 'Bearer t', 'impersonate-user': 'bob', 'impersonate-group': ['ops'] },
    ],
    [
      'an auth provider of client-node',
      { 'auth-provider': { name: 'gcp', config: { 'access-token': 't' } } },
      { authorization: 'Bearer t' },
    ],
  ])('come from %s', async (_what, user, headers) => {
    expect(await headersOf(user)).toEqual(headers)
  })

  it('come from a token file before a token', async () => {
    expect(await headersOf({ token: 'old', tokenFile: write('token', 'new\n') })).toEqual({
      authorization: 'Bearer new',
    })
  })

  it('are the same object while they are unchanged', async () => {
    const connection = await loadText({ token: 't', as: 'bob' })
    expect(await connection.credentials(signal)).toBe(await connection.credentials(signal))
  })

  it('fail when client-node does not know the auth provider', async () => {
    const connection = await loadText({ 'auth-provider': { name: 'magic', config: {} } })
    expect((await failureOf(connection.credentials(signal))).message).toMatch(/auth provider magic gave no token/)
  })
})

describe('credentials of a plugin', () => {
  const v1 = 'client.authentication.k8s.io/v1'
  const runsFile = () => join(folder, 'runs')
  const runs = () => readFileSync(runsFile(), 'utf8').trim().split('\n').length
  const pluginOf = (mode: string, more = '', fields: object = {}) => ({
    exec: { apiVersion: v1, command: 'sh', args: [fixture('plugin.sh'), runsFile(), mode, more], ...fields },
  })
  const environment = { PATH: process.env.PATH, INHERITED: 'inherited' }
  const loadPlugin = (user: object, cluster?: object) => loadText(user, cluster, environment)
  const tokenOf = async (connection: Connection) => (await connection.credentials(signal)).headers.authorization

  it('are issued once for concurrent callers, and cached', async () => {
    const connection = await loadPlugin(pluginOf('token'))
    expect(await Promise.all([tokenOf(connection), tokenOf(connection)])).toEqual(['Bearer token-1', 'Bearer token-1'])
    await clock.advance(86_400_000)
    expect(await tokenOf(connection)).toBe('Bearer token-1')
    expect(runs()).toBe(1)
  })

  it('are issued again when they have expired', async () => {
    const connection = await loadPlugin(pluginOf('token', ',"expirationTimestamp":"2026-01-01T01:00:00Z"'))
    expect(await tokenOf(connection)).toBe('Bearer token-1')
    await clock.advance(3_599_999)
    expect(await tokenOf(connection)).toBe('Bearer token-1')
    await clock.advance(1)
    expect(await tokenOf(connection)).toBe('Bearer token-2')
  })

  it('are issued again when the server rejected them, once for all callers', async () => {
    const connection = await loadPlugin(pluginOf('token'))
    const refused = await connection.credentials(signal)
    connection.refuse(refused)
    connection.refuse(refused)
    expect(await tokenOf(connection)).toBe('Bearer token-2')
    connection.refuse(refused)
    expect(await tokenOf(connection)).toBe('Bearer token-2')
  })

  it('may be a client certificate', async () => {
    const status = `,"clientCertificateData":"CERT","clientKeyData":"KEY"`
    const connection = await loadPlugin(pluginOf('token', status))
    expect((await connection.credentials(signal)).certificate).toEqual({ certificate: 'CERT', key: 'KEY' })
  })

  it('come from a program that receives the cluster and both environments', async () => {
    const fields = { env: [{ name: 'GREETING', value: 'hello' }], provideClusterInfo: true }
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }]
    const token = await tokenOf(await loadPlugin(pluginOf('environment', '', fields), { extensions }))
    expect(token).toBe(
      `Bearer hello inherited {apiVersion:${v1},kind:ExecCredential,spec:{interactive:false,cluster:{server:https://server:6443,config:{audience:x}}}}`,
    )
  })

  it('do not wait for an answer that cannot come', async () => {
    expect(await tokenOf(await loadPlugin(pluginOf('ask')))).toBe('Bearer asked and got <>')
  })

  it.each<[string, Parameters<typeof pluginOf>, string, RegExp]>([
    [
      'fails',
      ['fail'],
      'PluginFailed',
      /plugin sh exited with code 3 and said "you are not logged in"; run it by hand/,
    ],
    ['writes no JSON', ['garbage'], 'PluginFailed', /not JSON/],
    ['writes without end', ['flood'], 'PluginFailed', /wrote more than 1 MiB/],
    ['answers in another version', ['token', '', { apiVersion: `${v1}beta1` }], 'PluginFailed', /in another version/],
    ['gives nothing', ['token', ',"token":""'], 'PluginFailed', /neither a token nor a certificate/],
    ['gives half a pair', ['token', ',"clientKeyData":"hunter2"'], 'PluginFailed', /a key without its certificate/],
    ['gives a time that is none', ['token', ',"expirationTimestamp":"soon"'], 'PluginFailed', /no RFC 3339 time/],
    ['wants a terminal', ['token', '', { interactiveMode: 'Always' }], 'PluginFailed', /wants a terminal/],
    [
      'is not installed',
      ['token', '', { command: 'no-such-plugin' }],
      'PluginMissing',
      /no-such-plugin was not found: install it, or put it on PATH/,
    ],
    [
      'is not installed, with a hint',
      ['', '', { command: 'no-such-plugin', installHint: 'See acme.example.\n' }],
      'PluginMissing',
      /not found: See acme\.example\.$/,
    ],
    [
      'may not be run',
      ['', '', { command: fixture('plugin.sh') }],
      'PluginMissing',
      /may not be run; make it executable/,
    ],
  ])('fail, with one sentence and no secret, when the program %s', async (_what, mode, code, sentence) => {
    chmodSync(fixture('plugin.sh'), 0o644)
    const failure = await failureOf((await loadPlugin(pluginOf(...mode))).credentials(signal))
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(sentence)
    expect(`${failure.message} ${failure.cause}`).not.toContain('hunter2')
  })

  /** Waits for the first line of the process, for a bounded number of iterations of the event loop. */
  async function untilRunning(): Promise<void> {
    for (let turn = 0; turn < 100_000; turn++) {
      try {
        if (runs() > 0) return
      } catch {
        await settle()
      }
    }
    throw new Error('the plugin did not start')
  }

  it('fail after a minute, and the program is killed', async () => {
    const failure = failureOf((await loadPlugin(pluginOf('hang'))).credentials(signal))
    await untilRunning()
    await clock.advance(60_000)
    expect((await failure).message).toMatch(/no credentials within 60 s and was killed/)
  })

  it('stop waiting when the signal aborts', async () => {
    const connection = await loadPlugin(pluginOf('hang'))
    const controller = new AbortController()
    const work = connection.credentials(controller.signal)
    await untilRunning()
    controller.abort(new Error('over'))
    await expect(work).rejects.toThrow('over')
    expect(clock.nextTimerMs()).toBeUndefined()
  })
})
