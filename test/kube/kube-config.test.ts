import { describe, expect, it } from 'vitest'
import { ConnectionError } from '../../src/kube/connection-error.ts'
import { impersonationHeaders } from '../../src/kube/impersonation.ts'
import { mergeKubeConfigs, parseKubeConfig, type SelectedContext, selectContext } from '../../src/kube/kube-config.ts'

const origin = 'config'
const base64 = (text: string) => Buffer.from(text).toString('base64')

function select(text: string, context?: string): SelectedContext {
  return selectContext(parseKubeConfig({ text, origin, folder: '/home/me/.kube' }), context)
}

/** A config with one context of these fields. */
function configOf(cluster: object, user?: object, context: object = {}): string {
  return JSON.stringify({
    'current-context': 'dev',
    contexts: [{ name: 'dev', context: { cluster: 'c', ...(user === undefined ? {} : { user: 'u' }), ...context } }],
    clusters: [{ name: 'c', cluster: { server: 'https://server:6443', ...cluster } }],
    users: user === undefined ? [] : [{ name: 'u', user }],
  })
}

describe('kubeconfig', () => {
  it('returns the entries of the current context', () => {
    const text = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: c, user: u, namespace: data}}
- {name: other, context: {cluster: gone}}
clusters:
- name: c
  cluster:
    server: https://server:6443/
    certificate-authority: pki/ca.pem
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
users:
- name: u
  user: {client-certificate-data: ${base64('CERT')}, client-key: /etc/key.pem, tokenFile: token, as: bob, as-groups: [a, b]}
`
    expect(select(text)).toMatchObject({
      name: 'dev',
      namespace: 'data',
      cluster: {
        server: 'https://server:6443',
        authority: { kind: 'file', path: '/home/me/.kube/pki/ca.pem' },
        skipTlsVerify: false,
        serverName: 'kubernetes',
        proxyUrl: 'http://proxy:3128',
      },
      user: {
        certificate: { kind: 'text', text: 'CERT' },
        key: { kind: 'file', path: '/etc/key.pem' },
        tokenFile: '/home/me/.kube/token',
        impersonate: { user: 'bob', groups: ['a', 'b'] },
      },
    })
  })

  it('prefers data to a file, and treats empty text as absent', () => {
    const { cluster } = select(
      configOf({ 'certificate-authority': 'ca.pem', 'certificate-authority-data': base64('CA'), 'proxy-url': '' }),
    )
    expect(cluster).toMatchObject({ authority: { kind: 'text', text: 'CA' }, proxyUrl: undefined })
  })

  it('is anonymous without a user', () => {
    expect(select(configOf({})).user).toEqual({})
  })

  it.each([
    ['a bare name, found on PATH', 'aws', 'aws'],
    ['a path, relative to the file', './bin/login', '/home/me/.kube/bin/login'],
    ['an absolute path', '/bin/login', '/bin/login'],
  ])('reads a plugin whose command is %s', (_what, command, wanted) => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      args: ['get-token'],
      env: [{ name: 'A', value: 'b' }],
      provideClusterInfo: true,
      interactiveMode: 'IfAvailable',
    }
    expect(select(configOf({}, { exec })).user.plugin).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: wanted,
      arguments: ['get-token'],
      environment: { A: 'b' },
      installHint: undefined,
      needsCluster: true,
      needsTerminal: false,
    })
  })

  it('takes each entry from the first file that has it', () => {
    const parsed = [configOf({ server: 'https://one' }), configOf({ server: 'https://two' }, { token: 't' })].map(
      (text, index) => parseKubeConfig({ text, origin: `file ${index}` }),
    )
    const merged = mergeKubeConfigs(parsed)
    expect(selectContext(merged).cluster.server).toBe('https://one')
    expect([...merged.users.keys()]).toEqual(['u'])
    expect(merged.origin).toBe('file 0 and file 1')
  })

  it('ignores errors in entries that no context selects', () => {
    const config = JSON.parse(configOf({}))
    config.clusters.push({ name: 'broken', cluster: { server: 7 } })
    expect(select(JSON.stringify(config)).cluster.server).toBe('https://server:6443')
  })

  const broken = (change: (config: ReturnType<typeof JSON.parse>) => void) => {
    const config = JSON.parse(configOf({}, { token: 'hunter2' }))
    change(config)
    return JSON.stringify(config)
  }
  it.each<[string, string, string, string]>([
    ['no YAML', 'token: "hunter2', 'ConfigMalformed', 'config is not YAML'],
    ['an empty file', '', 'ConfigMalformed', 'config is empty or not a kubeconfig'],
    ['a list', '[hunter2]', 'ConfigMalformed', 'not a kubeconfig'],
    [
      'no current context',
      broken((c) => delete c['current-context']),
      'ContextMissing',
      'use-context" (it defines dev)',
    ],
    [
      'an unknown context',
      broken((c) => {
        c['current-context'] = 'x'
      }),
      'ContextMissing',
      'no context "x"; name another (it defines dev)',
    ],
    [
      'a context without cluster',
      broken((c) => {
        c.contexts[0].context = {}
      }),
      'ConfigMalformed',
      'config: context "dev": "cluster" is missing',
    ],
    [
      'a missing cluster',
      broken((c) => {
        c.clusters = []
      }),
      'ClusterMissing',
      'names the cluster "c", which is not there; correct the context (it defines none)',
    ],
    [
      'a missing user',
      broken((c) => {
        c.users = null
      }),
      'UserMissing',
      'names the user "u", which is not there',
    ],
    [
      'contexts that are no list',
      broken((c) => {
        c.contexts = 'hunter2'
      }),
      'ConfigMalformed',
      'config: "contexts" must be a list',
    ],
    [
      'an entry that is no object',
      broken((c) => {
        c.users = ['hunter2']
      }),
      'ConfigMalformed',
      '"users[0]" must be an object',
    ],
    [
      'an entry without a name',
      broken((c) => delete c.users[0].name),
      'ConfigMalformed',
      'users[0]: "name" is missing',
    ],
    [
      'a server that is no URL',
      broken((c) => {
        c.clusters[0].cluster.server = 'server:6443'
      }),
      'ConfigMalformed',
      'cluster "c": "server" must be an http or https URL',
    ],
    [
      'a number where text belongs',
      broken((c) => {
        c.users[0].user = { password: 42 }
      }),
      'ConfigMalformed',
      'user "u": "password" must be text; put it in quotes',
    ],
    [
      'a text where a flag belongs',
      broken((c) => {
        c.clusters[0].cluster['insecure-skip-tls-verify'] = 'true'
      }),
      'ConfigMalformed',
      'must be true or false',
    ],
    [
      'a plugin without a command',
      broken((c) => {
        c.users[0].user = { exec: { apiVersion: 'v1' } }
      }),
      'ConfigMalformed',
      'user "u": exec: "command" is missing',
    ],
  ])('rejects %s, names the position and quotes no secret', (_what, text, code, sentence) => {
    let thrown: unknown
    try {
      select(text)
    } catch (reason) {
      thrown = reason
    }
    expect(thrown).toBeInstanceOf(ConnectionError)
    expect(thrown).toMatchObject({ code })
    expect(String(thrown)).toContain(sentence)
    expect(String(thrown)).not.toContain('hunter2')
  })

  it('reports an unknown context although its name is a property of every object', () => {
    expect(() => select(configOf({}), '__proto__')).toThrow('no context "__proto__"')
  })
})

describe('impersonationHeaders', () => {
  it('sets user, uid, groups and extra fields', () => {
    expect(
      impersonationHeaders({ user: 'bob', uid: '7', groups: ['a', 'b'], extra: { 'Acme.com/Team': ['x', 'y'] } }),
    ).toEqual({
      'impersonate-user': 'bob',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-acme.com%2fteam': ['x', 'y'],
    })
  })

  it('sets the user alone', () => {
    expect(impersonationHeaders({ user: 'bob', groups: [], extra: {} })).toEqual({ 'impersonate-user': 'bob' })
  })
})
