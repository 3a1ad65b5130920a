// Search for leaked passwords (I11) in the whole life of databases and users with failures.
// The records are debug logs, spans, metrics, requests to the API server, versions of objects, and statement logs.
// Invariant: no password of a Secret appears in the records, and a planted one is found.
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import { Secret } from '../../../src/index.ts'
import { certifiedKey } from '../../postgres/certificate.ts'
import { startCuriousServer } from '../../postgres/curious-server.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import { cutAtText } from '../../postgres/sql-proxy.ts'
import { home } from '../postgres-stage.ts'
import { Evidence } from './evidence.ts'
import { UserStage } from './user-stage.ts'

const settings = {
  log_statement: 'all',
  log_min_error_statement: 'debug5',
  log_min_messages: 'debug1',
  log_error_verbosity: 'verbose',
  log_parameter_max_length: '-1',
  log_parameter_max_length_on_error: '-1',
  log_connections: 'on',
}
const weak = 'weak-admin-$ecret"\'\\word'
const wrong = 'wrong-admin-$ecret"\'\\word'
const supplied = { first: 'supplied-"first"\'s\\pass~word', second: 'supplied-second-pass~word' }

onEachPostgres(
  'a whole life of databases and users',
  (server, version) => {
    it('show no password in any output', async () => {
      const spans = recordSpansGlobally()
      const evidence = new Evidence()
      hearErrors(evidence)
      const secrets = new Set<string>([weak, wrong, server().password, ...Object.values(supplied)])
      const stage = await UserStage.start(server())
      hear(stage, { evidence, secrets })
      hearObjects(stage, evidence)
      await prepareServer(stage)

      await live(stage)
      await rotate(stage)
      await fail(stage)
      await misdirect(stage, { evidence, version })
      await testify(stage, evidence)
      await stage.kill()

      evidence.add('spans', spans())
      evidence.add('server log', server().log())
      evidence.add('statements', stage.engines.statements.map(({ text }) => text).join('\n'))
      expect([...secrets].length).toBeGreaterThan(15)
      expect(evidence.find(secrets)).toEqual([])
      // The search finds a planted password.
      for (const word of [
        '"level":"debug"',
        'external_api_requests_total{',
        'reconcile',
        'ALTER ROLE',
        'SCRAM-SHA-256',
      ]) {
        expect(evidence.find([word]), word).not.toEqual([])
      }
      const note = Buffer.from(`password=${server().password}`).toString('base64')
      await stage.cluster.patch(Database, `${home}/shop`, { metadata: { annotations: { note } } })
      expect(evidence.find(secrets)).toEqual([expect.stringContaining(note)])
    })
  },
  { settings },
)

/** Records each password that is written to a Secret, and all other traffic between operators and API server. */
function hear(stage: UserStage, { evidence, secrets }: { readonly evidence: Evidence; readonly secrets: Set<string> }) {
  const { toCluster } = stage
  stage.toCluster = async (request) => {
    const isSecret = /\/secrets(\/|\?|$)/.test(request.url)
    const said = `${request.method} ${request.url} ${await request.clone().text()}`
    const answer = await toCluster(request)
    const isWatch = request.url.includes('watch=')
    const heard = isWatch ? '' : await answer.clone().text()
    if (!isSecret) evidence.add('API', `${said}\n${heard}`)
    if (isSecret && request.method !== 'GET' && answer.ok) {
      const { data, ...shown } = JSON.parse(heard) as SecretShown
      evidence.add('Secret without its data', JSON.stringify(shown))
      for (const key of ['password', 'password-next']) {
        const value = data?.[key]
        if (value !== undefined) secrets.add(Buffer.from(value, 'base64').toString())
      }
    }
    return answer
  }
}

interface SecretShown {
  readonly data?: Readonly<Record<string, string>>
}

/** Records of one process of the operator. */
async function testify({ operator }: UserStage, evidence: Evidence): Promise<void> {
  evidence.add('log', operator.lines.map((line) => JSON.stringify(line)).join('\n'))
  evidence.add('metrics', (await operator.get('/metrics')).text)
}

/** Each version of each object in the cluster, with managedFields. */
function hearObjects({ cluster }: UserStage, evidence: Evidence): void {
  cluster.server.log.listen(({ place, now }) => {
    const { data, ...shown } = now.object
    const isSecret = place.shelf.startsWith('secrets')
    evidence.add(isSecret ? 'Secret without its data' : 'objects', JSON.stringify(isSecret ? shown : now.object))
  })
}

/** Warnings of the process itself. */
function hearErrors(evidence: Evidence): void {
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    evidence.add('stderr', String(text))
    return true
  })
  onTestFinished(() => spy.mockRestore())
}

/** An admin without privileges, whose password the server's log has never contained. */
async function prepareServer(stage: UserStage): Promise<void> {
  const verifier = scramVerifier({ password: weak, salt: Buffer.alloc(16, 5) })
  await stage.server.byHand(`CREATE ROLE weak LOGIN PASSWORD '${verifier}'`)
  const { host, port, username, password } = stage.server.access()
  const place = { host, port: String(port) }
  await stage.secret('weak', { ...place, username: 'weak', password: weak })
  await stage.secret('wrong', { ...place, username, password: wrong })
  await stage.secret('mine', { password: supplied.first })
  await stage.secret('theirs-db', { password })
}

/** Users of all kinds, some of them invalid. */
async function live(stage: UserStage): Promise<void> {
  const server = (name: string, own: object = {}) => ({
    provider: { server: { connectionSecretRef: { name }, sslMode: 'disable', ...own } },
  })
  await stage.database('shop')
  await stage.database('unencrypted', server('server', { sslMode: 'require' }))
  await stage.database('unentitled', server('weak'))
  await stage.database('unadmitted', server('wrong'))
  await stage.databaseReady('shop')
  const databases = [{ name: 'shop', access: 'ReadWrite' as const }]
  await stage.create('plain', { databases, secret: { template: { dsn: 'host={{host}} password={{password}}' } } })
  await stage.create('printable', { databases, password: { generate: { length: 64, charset: 'Printable' } } })
  await stage.create('mine', { databases, password: { secretRef: { name: 'mine' } } })
  await stage.create('in-place', { databases, rotation: { interval: '1h' } })
  await stage.create('dual', { databases, rotation: { interval: '2h', strategy: 'DualRole', overlap: '5m' } })
  await stage.create('theirs', { databases })
  await stage.create('lonely', { databases: [{ name: 'nowhere', access: 'ReadOnly' }] })
  await stage.create('greedy', { databases, memberOf: ['no_such_role'] })
  const grants = [{ objectType: 'Table' as const, names: ['no "such" table'], privileges: ['SELECT' as const] }]
  await stage.create('blind', { databases: [{ name: 'shop', access: 'Custom', grants }] })
  await stage.server.byHand('CREATE ROLE squatted')
  await stage.create('squatted', { databases })
  for (const name of ['plain', 'printable', 'mine', 'in-place', 'dual'])
    await stage.becomes(name, 'Ready', 'True InSync')
  await stage.becomes('theirs', 'Ready', 'False NameConflict')
  await stage.pass(30_000)
}

async function rotate(stage: UserStage): Promise<void> {
  for (const name of ['in-place', 'dual']) {
    await stage.patch(name, { rotation: { trigger: 'leaked' } })
    await stage.until(`${name} to rotate`, async () => (await stage.status(name)).passwordGeneration === 2)
    await stage.becomes(name, 'Ready', 'True InSync')
  }
  await stage.secret('mine', { password: supplied.second })
  await stage.until('the second', async () => (await stage.keys('mine'))?.['password'] === supplied.second)
  await stage.cluster.delete(Secret, `${home}/plain-db`)
  await stage.until('another', async () => (await stage.status('plain')).passwordGeneration === 2)
}

/** A server that does not answer, breaks connections, loses data, rejects; and then recovers. */
async function fail(stage: UserStage): Promise<void> {
  const { server, engines } = stage
  const again = async (name: string, trigger: string) => await stage.patch(name, { rotation: { trigger } })
  const cut = cutAtText(/ALTER ROLE/, 'after')
  engines.judge = (statement) => cut(statement)
  await again('in-place', 'cut off')
  await stage.until('the third', async () => (await stage.status('in-place')).passwordGeneration === 3, 600_000)
  engines.judge = () => 'pass'

  await again('dual', 'stopped')
  await server.restart('immediate')
  await stage.until('the third of two', async () => (await stage.status('dual')).passwordGeneration === 3, 600_000)

  await server.byHand('ALTER SYSTEM SET default_transaction_read_only = on')
  await server.byHand('SELECT pg_reload_conf()')
  await again('in-place', 'read-only')
  await stage.pass(30_000)
  await server
    .byHand('SET transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only')
    .catch(() => server.byHand('ALTER SYSTEM RESET default_transaction_read_only'))
  await server.byHand('SELECT pg_reload_conf()')

  // The connection Secret is replaced, and restored.
  const { username, password } = server.access()
  await stage.secret('server', { password: wrong })
  await again('printable', 'locked out')
  await stage.pass(30_000)
  await stage.secret('server', { username: 'weak', password: weak })
  await stage.pass(30_000)
  await stage.secret('server', { username, password })
  await stage.secret('mine', { password: `naïve ${wrong}` })
  await stage.pass(60_000)

  await server.byHand("ALTER ROLE weak VALID UNTIL '2000-01-01'")
  stage.engines.proxy.welcome = 'garbage'
  stage.engines.proxy.cutAll()
  await lookAtAll(stage)
  stage.engines.proxy.welcome = 'pass'
  await lookAtAll(stage)

  await server.byHand('DROP ROLE printable_a').catch(() => undefined)
  await rename(stage, 'shop', 'gone')
  await stage.pass(360_000)
  await rename(stage, 'gone', 'shop')
  await stage.pass(360_000)
  for (const name of ['plain', 'printable', 'in-place', 'dual', 'theirs', 'lonely']) await stage.delete(name)
}

/** Another server at the same address: untrusted, and soon full; and one that only collects passwords. */
async function misdirect(
  stage: UserStage,
  { evidence, version }: { readonly evidence: Evidence; readonly version: number },
): Promise<void> {
  const other = await startPostgres({
    version: inject('postgresHome').versions.find(({ major }) => major !== version)?.major ?? version,
    tlsFor: ['127.0.0.1'],
    settings: { ...settings, max_connections: '4', superuser_reserved_connections: '0', max_wal_senders: '0' },
  })
  const { host, port, username, password } = stage.server.access()
  const stranger = certifiedKey(['127.0.0.1']).certificate
  await stage.secret('mistrusted', { host, port: String(port), username, password, 'ca.crt': stranger })
  await stage.database('mistrusted', { provider: { server: { connectionSecretRef: { name: 'mistrusted' } } } })
  await redirect(stage, evidence, other.access())
  const sleepers: Promise<unknown>[] = []
  for (let refusals = 0; refusals < 3; ) {
    sleepers.push(other.byHand('SELECT pg_sleep(3600)').catch(() => undefined))
    await other.byHand('SELECT 1').catch(() => (refusals += 1))
  }
  await lookAtAll(stage)
  evidence.add('server log', other.log())
  await other.stop()
  await Promise.all(sleepers)
  const curious = await startCuriousServer()
  onTestFinished(() => curious.stop())
  await redirect(stage, evidence, stage.server.access({ port: curious.port }))
  await lookAtAll(stage)
  evidence.add('wire', curious.heard())
  expect(curious.heard()).toContain('application_name')
}

/** A new process of the operator, which reaches another server at the same address. */
async function redirect(stage: UserStage, evidence: Evidence, target: UserStage['engines']['target']): Promise<void> {
  await testify(stage, evidence)
  await stage.kill()
  stage.engines.target = target
  await stage.live()
  await stage.pass(30_000)
}

async function lookAtAll(stage: UserStage): Promise<void> {
  const annotations = { 'konverge.dev/reconcile-now': String(stage.cluster.clock.now()) }
  for (const { metadata } of await stage.cluster.list(Database, home)) {
    await stage.cluster.patch(Database, `${home}/${metadata.name}`, { metadata: { annotations } })
  }
  await stage.pass(30_000)
}

/** After all sessions have ended. */
async function rename({ server }: UserStage, from: string, to: string): Promise<void> {
  await server.byHand(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${from}'`)
  await server.byHand(`ALTER DATABASE ${from} RENAME TO ${to}`)
}

/** All spans of this process, as text. */
function recordSpansGlobally(): () => string {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  onTestFinished(() => trace.disable())
  return () =>
    exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => JSON.stringify({ name, attributes, events, status }))
      .join('\n')
}
