// PostgreSQL server of DatabaseServer on the local node, where pods are processes, with every version of this machine.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App, Chart } from 'cdk8s'
import { Client, type ClientConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DatabaseServer, type DatabaseServerProps, databaseHosts, databaseServerNames } from '../../constructs/index.ts'
import { selfSignedCertificate } from '../../src/base/self-signed-certificate.ts'
import { machinePostgres } from '../../src/cli/dev/machine-postgres.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'
import { LocalCluster } from './local-cluster.ts'
import { isReady } from './node-stage.ts'

const password = `it's "secret" \\ $HOME`
const psql = '/usr/bin/psql'

let cluster: LocalCluster
beforeAll(async () => {
  cluster = await LocalCluster.start()
})
afterAll(() => cluster?.stop())

describe.each(machinePostgres().versions.map(({ major }) => major))('a database server of PostgreSQL %i', (major) => {
  const name = `shop-${major}`
  const names = databaseServerNames(name)
  const hosts = databaseHosts(name, 'shop')
  const [host = ''] = hosts
  const tls = certificateFor(hosts)
  const props: DatabaseServerProps = {
    name,
    namespace: 'shop',
    version: String(major),
    adminPassword: password,
    tls,
    parameters: { max_connections: 23, log_line_prefix: "it's %p \\ ", 'konverge.note': 'x' },
  }
  const pod = { kind: 'Pod', name: names.pod }
  let address = ''

  const login = async (more: ClientConfig = {}) => {
    const ssl = { ca: tls.certificate, servername: host }
    const client = new Client({
      host: address,
      port: 5432,
      user: 'postgres',
      password,
      database: 'postgres',
      ssl,
      ...more,
    })
    client.on('error', () => undefined) // The caller gets the error by the rejection.
    await client.connect()
    return client
  }
  const ask = async (text: string, more?: ClientConfig) => {
    const client = await login(more)
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  const readyPod = (what: string, isSo: (object: LiveObject) => boolean = () => true) =>
    cluster.objectThat(pod, what, (object) => isSo(object) && isReady(object as never)) // Sound: the object is a pod.

  beforeAll(async () => {
    await cluster.apply(...manifestsOf(props))
    await readyPod('ready')
    const service = { kind: 'Service', name: names.clientService }
    const served = await cluster.objectThat(service, 'served', (object) => addressOf(object) !== '')
    address = addressOf(served)
  })

  it('has the requested version and settings', async () => {
    expect(await ask(`SELECT current_setting('server_version_num')::int / 10000 AS major`)).toEqual([{ major }])
    const settings = ['max_connections', 'log_line_prefix', 'konverge.note', 'password_encryption', 'data_checksums']
    const shown = settings.map((setting) => `current_setting('${setting}') AS "${setting}"`)
    expect(await ask(`SELECT ${shown.join(', ')}, getdatabaseencoding() AS encoding`)).toEqual([
      {
        max_connections: '23',
        log_line_prefix: "it's %p \\ ",
        'konverge.note': 'x',
        password_encryption: 'scram-sha-256',
        data_checksums: 'on',
        encoding: 'UTF8',
      },
    ])
  })

  it('rejects a wrong password, a connection without TLS, and a client that trusts another certificate', async () => {
    await expect(login({ password: 'other' })).rejects.toMatchObject({ code: '28P01' })
    await expect(login({ ssl: false })).rejects.toMatchObject({
      code: '28000',
      message: expect.stringContaining('pg_hba.conf'),
    })
    const { certificate } = certificateFor(hosts)
    await expect(login({ ssl: { ca: certificate, servername: host } })).rejects.toMatchObject({
      code: expect.stringMatching(/SELF_SIGNED|SIGNATURE_FAILURE/),
    })
    const elsewhere = { ca: tls.certificate, servername: 'other.shop.svc' }
    await expect(login({ ssl: elsewhere })).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  it('requires TLS whatever its superuser writes into its settings', async () => {
    await ask('ALTER SYSTEM SET ssl = off')
    await ask(`ALTER SYSTEM SET hba_file = '/tmp/other'`)
    await ask('SELECT pg_reload_conf()')
    const kept = `SELECT current_setting('ssl') AS ssl, current_setting('hba_file') LIKE '%/pg_hba.conf' AS "hasOwnRules"`
    expect(await ask(kept)).toEqual([{ ssl: 'on', hasOwnRules: true }])
  })

  it.skipIf(!existsSync(psql))('accepts psql with channel binding to the certificate', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'konverge-psql-'))
    try {
      await writeFile(join(folder, 'ca.crt'), tls.certificate)
      const place = `host=${host} hostaddr=${address} user=postgres dbname=postgres`
      const safety = `sslmode=verify-full sslrootcert=${folder}/ca.crt channel_binding=require`
      const args = [`${place} ${safety}`, '-Atc', 'SELECT 1']
      const { stdout } = await promisify(execFile)(psql, args, { env: { PGPASSWORD: password } })
      expect(stdout).toBe('1\n')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('keeps its data when its pod is recreated, and shuts down cleanly with an open connection', async () => {
    await ask('CREATE TABLE kept AS SELECT 42 AS answer')
    const idle = await login()
    const before = await cluster.get('Pod', names.pod)
    await cluster.delete('Pod', names.pod)
    await readyPod('ready again', ({ metadata }) => metadata.uid !== before?.metadata.uid)
    await idle.end().catch(() => undefined) // The server has closed the connection.
    expect(await ask('SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    const log = await cluster.log(names.pod)
    expect(log).toContain('database system was shut down at')
    expect(log).not.toContain('recovery')
  })

  it('restarts for changed settings, and then shows another certificate', async () => {
    const other = certificateFor(hosts)
    const before = await cluster.get('Pod', names.pod)
    await cluster.apply(...manifestsOf({ ...props, parameters: { max_connections: 24 }, tls: other }))
    await readyPod('ready again', ({ metadata }) => metadata.uid !== before?.metadata.uid)
    const ssl = { ca: other.certificate, servername: host }
    expect(await ask('SHOW max_connections', { ssl })).toEqual([{ max_connections: '24' }])
  })

  it('writes neither its password nor its key to a log', async () => {
    for (const text of [...cluster.nodeLines, await cluster.log(names.pod)]) {
      expect(text).not.toContain(password)
      expect(text).not.toContain('PRIVATE KEY')
    }
  })
})

function manifestsOf(props: DatabaseServerProps): readonly KubeObject[] {
  const chart = new Chart(new App(), 'server', { namespace: 'shop' })
  new DatabaseServer(chart, 'server', props)
  return chart.toJson()
}

function addressOf({ metadata }: LiveObject): string {
  return metadata.annotations?.['konverge.dev/local-address'] ?? ''
}

function certificateFor(hosts: readonly string[]) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const notBeforeMs = Date.now() - 60_000
  const validity = { notBeforeMs, notAfterMs: notBeforeMs + 86_400_000 }
  const certificate = selfSignedCertificate({ commonName: 'postgres', hosts, ...validity, ...pair })
  return { certificate, privateKey: String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })) }
}
