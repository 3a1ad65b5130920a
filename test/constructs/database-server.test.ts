import { App, Chart } from 'cdk8s'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DatabaseServer,
  type DatabaseServerProps,
  databaseHosts,
  databaseServerNames,
  databaseServerProps,
  refusedParameter,
} from '../../constructs/index.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { databaseRules } from '../crds/database-rules.ts'
import { at } from './render.ts'

const tls = { certificate: 'cert', privateKey: 'key' }
const plain: DatabaseServerProps = { name: 'shop', namespace: 'data', version: '18', adminPassword: 'pw', tls }
const facts = { namespace: 'data', adminPassword: 'pw', tls }

function render(props: DatabaseServerProps, ids = { chart: 'chart', server: 'server' }) {
  const chart = new Chart(new App(), ids.chart, { namespace: props.namespace })
  const server = new DatabaseServer(chart, ids.server, props)
  const objects: readonly JsonObject[] = chart.toJson()
  const named = (kind: string, name: string) =>
    objects.find((object) => object['kind'] === kind && at(object, 'metadata', 'name') === name)
  return { server, objects, named }
}

const configOf = (props: DatabaseServerProps) =>
  String(at(render(props).named('ConfigMap', 'shop-postgres'), 'data', 'postgresql.conf'))
const templateOf = (props: DatabaseServerProps) =>
  at(render(props).named('StatefulSet', 'shop-postgres'), 'spec', 'template')
const decoded = (value: unknown) => Buffer.from(String(value), 'base64').toString()

interface Mount {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
}

/** The innermost mount that contains the path. */
function mountOf(pod: unknown, path: string): Mount | undefined {
  const mounts = at(pod as JsonObject, 'containers', 0, 'volumeMounts') as unknown as readonly Mount[] // A pod.
  const around = mounts.filter(({ mountPath }) => path.startsWith(`${mountPath}/`))
  return around.toSorted((one, other) => other.mountPath.length - one.mountPath.length)[0]
}

/** Writable volumes: those of claims, which come from the StatefulSet, and temporary ones. */
function writableVolumes(pod: unknown): readonly string[] {
  const volumes = at(pod as JsonObject, 'volumes') as unknown as readonly { name: string; emptyDir?: object }[] // Pod.
  return ['data', ...volumes.flatMap(({ name, emptyDir }) => (emptyDir === undefined ? [] : [name]))]
}

describe('DatabaseServer', () => {
  it.each([
    ['the data', '/data/pgdata'],
    ['the lock and the socket', '/var/run/postgresql/.s.PGSQL.5432.lock'],
    ['shared memory', '/dev/shm/PostgreSQL.1'],
    ['files of the image’s start script', '/tmp/passwd'],
  ])('mounts a writable volume for %s, because the root is read-only: %s', (_, path) => {
    const pod = at(templateOf(plain), 'spec')
    expect(at(pod, 'containers', 0, 'securityContext', 'readOnlyRootFilesystem')).toBe(true)
    const mount = mountOf(pod, path)
    expect(mount).toMatchObject({ mountPath: expect.any(String) })
    expect(mount).not.toHaveProperty('readOnly', true)
    expect(writableVolumes(pod)).toContain(mount?.name)
  })

  it('keeps its data on the volume, and accepts no parameter that would move it or the socket', () => {
    const env = at(templateOf(plain), 'spec', 'containers', 0, 'env')
    expect(env).toContainEqual({ name: 'PGDATA', value: '/data/pgdata' })
    for (const parameter of ['unix_socket_directories', 'data_directory', 'external_pid_file']) {
      expect(configOf(plain)).not.toContain(parameter)
      expect(refusedParameter(parameter), parameter).toBeDefined()
    }
  })

  it('renders these objects, in an applicable order', () => {
    const { objects, server } = render(plain)
    expect(objects.map((object) => `${object['kind']} ${at(object, 'metadata', 'name')}`)).toEqual([
      'ConfigMap shop-postgres',
      'Secret shop-postgres-admin',
      'Secret shop-postgres-tls',
      'Service shop-postgres-headless',
      'Service shop-postgres',
      'StatefulSet shop-postgres',
    ])
    expect(server.statefulSet.node.dependencies).toHaveLength(5)
  })

  it('renders the same bytes for the same props, wherever it is in a tree', () => {
    const elsewhere = render(plain, { chart: 'other', server: 'deep' })
    expect(JSON.stringify(elsewhere.objects)).toBe(JSON.stringify(render(plain).objects))
    const swapped = { ...plain, parameters: { work_mem: '4MB', jit: 'off' } }
    expect(configOf(swapped)).toBe(configOf({ ...plain, parameters: { jit: 'off', work_mem: '4MB' } }))
  })

  it('writes its address to a Secret, like the Secret of an existing server', () => {
    const secret = render(plain).named('Secret', 'shop-postgres-admin')
    const data = Object.entries(Object(at(secret, 'data'))).map(([key, value]) => [key, decoded(value)])
    expect(Object.fromEntries(data)).toEqual({
      host: 'shop-postgres.data.svc',
      port: '5432',
      username: 'postgres',
      password: 'pw',
      'ca.crt': 'cert',
    })
    expect(databaseHosts('shop', 'data')).toContain('shop-postgres.data.svc')
  })

  it('renders the password and the key in Secrets only', () => {
    const props = { ...plain, adminPassword: 'a-secret', tls: { certificate: 'cert', privateKey: 'b-secret' } }
    const open = render(props).objects.filter((object) => object['kind'] !== 'Secret')
    expect(JSON.stringify(open)).not.toContain('-secret')
    const secrets = render(props).objects.filter((object) => object['kind'] === 'Secret')
    const values = secrets.flatMap((secret) => Object.values(Object(at(secret, 'data'))).map(decoded))
    expect(values).toEqual(expect.arrayContaining(['a-secret', 'b-secret']))
  })

  it('restarts for other settings and another certificate, and for no other change', () => {
    const before = templateOf(plain)
    expect(templateOf({ ...plain, parameters: { work_mem: '8MB' } })).not.toEqual(before)
    expect(templateOf({ ...plain, tls: { ...tls, certificate: 'new' } })).not.toEqual(before)
    expect(templateOf({ ...plain, adminPassword: 'new' })).toEqual(before)
    expect(templateOf({ ...plain, storage: { size: '5Gi' } })).toEqual(before)
  })

  it('writes any value of a setting so that PostgreSQL reads it back', () => {
    const value = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(value, (text) => {
        const [line = ''] = configOf({ ...plain, parameters: { 'my.note': text } }).split('\n')
        expect(readBack(line)).toEqual(['my.note', text])
      }),
    )
  })

  it('puts required settings after the given ones, so that they win', () => {
    const lines = configOf({ ...plain, parameters: { zero_damaged_pages: 'off' } }).split('\n')
    expect(lines.slice(-3)).toEqual([`listen_addresses = '*'`, `password_encryption = 'scram-sha-256'`, ''])
  })

  it('rejects every setting that the CRD rejects, and accepts the others', () => {
    const settingsOf = (spec: object) => Object.keys(Object(at(spec, 'provider', 'inCluster', 'parameters')))
    const refused = databaseRules.refused
      .filter(([, , , field]) => field === 'spec.provider.inCluster.parameters')
      .flatMap(([, , spec]) => settingsOf(spec))
    expect(refused.length).toBeGreaterThan(20)
    expect(refused.filter((name) => refusedParameter(name) === undefined)).toEqual([])
    const taken = databaseRules.accepted.flatMap(([, , spec]) => settingsOf(spec))
    expect(taken.filter((name) => refusedParameter(name) !== undefined)).toEqual([])
  })

  it.each<[string, Partial<DatabaseServerProps>, RegExp]>([
    ['a name that pods cannot carry', { name: 'a'.repeat(44) }, /at most 43/],
    ['a name that Services cannot take', { name: '1shop' }, /begin with a letter/],
    ['a setting that it keeps', { parameters: { ssl: 'off' } }, /the setting ssl is kept by the operator/],
    ['a setting that it keeps, in capitals', { parameters: { SSL: 'off' } }, /'SSL' is no name of a setting/],
    ['a setting with a line', { parameters: { 'a\nssl': 'off' } }, /is no name of a setting/],
  ])('rejects %s', (_what, props, message) => {
    expect(() => render({ ...plain, ...props })).toThrow(message)
  })
})

describe('names', () => {
  it('are valid in Kubernetes, up to the longest', () => {
    const names = databaseServerNames('a'.repeat(43))
    for (const name of Object.values(names)) expect(name).toMatch(/^[a-z][a-z0-9-]{0,62}$/)
    expect(`${names.statefulSet}-0123456789`.length).toBeLessThanOrEqual(63)
  })
})

describe('databaseServerProps', () => {
  it('takes over the fields of the spec, and the size of the claim template', () => {
    const provider = { inCluster: { storage: { size: '5Gi', storageClassName: 'fast' }, parameters: { jit: 'off' } } }
    const spec = { version: '17', provider } as const
    expect(databaseServerProps('shop', spec, facts)).toEqual({
      ...plain,
      version: '17',
      storage: { size: '5Gi', storageClassName: 'fast' },
      parameters: { jit: 'off' },
    })
    expect(databaseServerProps('shop', spec, { ...facts, volumeSize: '2Gi' }).storage).toEqual({
      size: '2Gi',
      storageClassName: 'fast',
    })
  })

  it('rejects a spec with another provider', () => {
    const provider = { server: { connectionSecretRef: { name: 'admin' } } }
    expect(() => databaseServerProps('shop', { provider }, facts)).toThrow('its provider is not inCluster')
    expect(() => databaseServerProps('shop', { provider: { inCluster: {} } }, facts)).toThrow('version is needed')
  })
})

/** Parses a line like PostgreSQL. Source: guc-file.l and DeescapeQuotedString. */
function readBack(line: string): readonly [string, string] {
  const [, name = '', quoted = ''] = /^(\S+) = '((?:[^'\\\n]|\\.|'')*)'$/u.exec(line) ?? []
  const escapes: Readonly<Record<string, string>> = { "''": "'", '\\\\': '\\', '\\n': '\n' }
  return [name, quoted.replaceAll(/''|\\./g, (escaped) => escapes[escaped] ?? '?')]
}
