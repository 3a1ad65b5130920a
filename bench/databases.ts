// Time and connections to create 300 databases and 600 users on one real PostgreSQL server, and the cost to manage them
// when nothing changes. The operator and the embedded API server run as shipped, each as a separate process; a counting
// proxy is between operator and database server.
//
// Run: npm run build && node bench/databases.ts [databases] [major version]. The server's files are below TMPDIR: on
// some disks the creation of databases takes most of the time. The results are in bench/README.md.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { setTimeout as pass } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fleetOf } from '../test/controllers/database-user/fleet.ts'
import { openLabels } from '../test/controllers/open-labels.ts'
import { flagshipDefinitions } from '../test/e2e/definitions.ts'
import { makePostgresHome, removePostgresHome } from '../test/postgres/postgres-home.ts'
import { PostgresServer } from '../test/postgres/postgres-server.ts'
import { SqlProxy } from '../test/postgres/sql-proxy.ts'
import { Asker, inParallel, withOurServer } from './apiserver/over-http.ts'
import { processorSeconds } from './processor-time.ts'

const limits = { convergedMs: 60_000, connections: 5, statementsPerObject: 2, writes: 0 }
const [count = '300', version] = process.argv.slice(2)
const fleet = fleetOf(Number(count))
const objects = fleet.databases.length + fleet.users.length
/** Interval between observations of one object. */
const cadenceMs = 60_000
const giveUpMs = 600_000
const group = '/apis/data.konverge.dev/v1alpha1/namespaces/default'

const home = await makePostgresHome()
say(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load()}`)
try {
  for (const { major } of home.versions) {
    if (version !== undefined && major !== Number(version)) continue
    const server = await PostgresServer.start(home, { version: major })
    const proxy = await SqlProxy.start(server.access())
    try {
      await withOurServer((access, kubeconfig) => measure(new Asker(access), kubeconfig, { server, proxy }))
    } finally {
      await proxy.stop()
      await server.remove()
    }
  }
} finally {
  await removePostgresHome(home)
}

interface Way {
  readonly server: PostgresServer
  readonly proxy: SqlProxy
}

async function measure(asker: Asker, kubeconfig: string, { server, proxy }: Way): Promise<void> {
  await prepare(asker, server.password, proxy.port)
  const byHandMs = await createByHandMs(server)
  const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url))
  const args = ['run', '--kubeconfig', kubeconfig, '--http-host', '127.0.0.1', '--http-port', '0']
  const operator = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  operator.stdout.resume()
  const sampler = sampleSessions(server)
  try {
    const before = processorSeconds(nameOf)
    const startedMs = performance.now()
    await createAll(asker)
    const createdMs = performance.now() - startedMs
    while (!(await allReady(asker))) {
      assert(performance.now() - startedMs < giveUpMs, 'they do not all become ready')
      await pass(1_000)
    }
    const convergedMs = performance.now() - startedMs
    const taken = [...processorSeconds(nameOf)].map(([name, s]) => [name, s - (before.get(name) ?? 0)] as const)
    say(`PostgreSQL ${server.version}, ${fleet.databases.length} databases and ${fleet.users.length} users:`)
    say(
      `  created after ${seconds(createdMs)}, all ready after ${seconds(convergedMs)} (limit ${seconds(limits.convergedMs)}), ` +
        `by ${proxy.statements.length} statements over ${proxy.connections.total} connections, load ${load()}`,
    )
    say(`  one CREATE DATABASE by hand, before: ${byHandMs.toFixed(0)} ms`)
    say(`  processor time: ${taken.map(([name, s]) => `${name} ${s.toFixed(1)} s`).join(', ')}`)
    const { peak: mostAtOnce } = proxy.connections
    // Grants changed the databases, which the next observation reports.
    await pass(1.2 * cadenceMs)
    const revision = await revisionOf(asker)
    proxy.forget()
    await pass(1.2 * cadenceMs)
    const writes = (await revisionOf(asker)) - revision
    const looks = proxy.statements.length
    const { peak, total } = proxy.connections
    const mostSessions = await sampler.stop()
    say(
      `  at most ${mostAtOnce} connections at once (limit ${limits.connections}); processes for them, ending ones too: ${mostSessions}`,
    )
    say(
      `  at rest, in ${seconds(1.2 * cadenceMs)} of a cadence of ${seconds(cadenceMs)}: ${looks} statements, ` +
        `${(looks / objects).toFixed(2)} for each object (limit ${limits.statementsPerObject} a look), ` +
        `${writes} writes (limit ${limits.writes}), ${total} connections opened, ${peak} at once`,
    )
  } finally {
    asker.close()
    const ended = once(operator, 'close')
    operator.kill('SIGTERM')
    await ended
    await sampler.stop()
  }
}

/** The children of the server's parent shell count as the server's. */
function nameOf(command: string): string {
  if (/main\.js run /.test(command)) return 'operator'
  return /main\.js apiserver /.test(command) ? 'API server' : 'PostgreSQL'
}

/** Median time of the server alone for one database, on these disks. */
async function createByHandMs(server: PostgresServer): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < 5; at++) {
    const startedMs = performance.now()
    await server.byHand(`CREATE DATABASE by_hand_${at} TEMPLATE template0`)
    times.push(performance.now() - startedMs)
  }
  return times.toSorted((left, right) => left - right)[2] ?? 0
}

/** Creates the definitions, and the connection to the server. */
async function prepare(asker: Asker, password: string, port: number): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const definition of await flagshipDefinitions()) {
    await asker.ask('POST', definitions, JSON.stringify(definition))
  }
  const values = { host: '127.0.0.1', port: String(port), username: 'postgres', password }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'server', labels: openLabels },
    stringData: values,
  }
  await asker.ask('POST', '/api/v1/namespaces/default/secrets', JSON.stringify(secret))
  while (!(await isServed(asker))) await pass(50)
}

async function isServed(asker: Asker): Promise<boolean> {
  const served = ['databases', 'databaseusers'].map((plural) => asker.ask('GET', `${group}/${plural}`))
  const answers = await Promise.allSettled(served)
  return answers.every(({ status }) => status === 'fulfilled')
}

async function createAll(asker: Asker): Promise<void> {
  const annotations = { 'konverge.dev/reconcile-interval': `${cadenceMs / 1_000}s` }
  const bodies = (kind: string, all: readonly { readonly name: string; readonly spec: object }[]) =>
    all.map(({ name, spec }) =>
      JSON.stringify({ apiVersion: 'data.konverge.dev/v1alpha1', kind, metadata: { name, annotations }, spec }),
    )
  await inParallel(bodies('Database', fleet.databases), (body) => asker.ask('POST', `${group}/databases`, body))
  await inParallel(bodies('DatabaseUser', fleet.users), (body) => asker.ask('POST', `${group}/databaseusers`, body))
}

async function allReady(asker: Asker): Promise<boolean> {
  // One after the other, because a list of all takes the API server some time.
  const { items: databases } = await listOf(asker, 'databases')
  return databases.every(isReady) && (await listOf(asker, 'databaseusers')).items.every(isReady)
}

/** Every write to the API server, by any client, creates a new revision. */
async function revisionOf(asker: Asker): Promise<number> {
  return Number((await listOf(asker, 'databases')).metadata.resourceVersion)
}

interface List {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly Item[]
}

interface Item {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function listOf(asker: Asker, plural: string): Promise<List> {
  return JSON.parse(await asker.ask('GET', `${group}/${plural}`)) as List // As the API server answers lists.
}

function isReady({ status }: Item): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
}

/** Samples the number of the operator's sessions on the server; `stop` returns the maximum. */
function sampleSessions(server: PostgresServer): { stop(): Promise<number> } {
  let [most, isStopped] = [0, false]
  const text = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'by hand'`
  const sampling = (async () => {
    while (!isStopped) {
      const [row] = await server.byHand(text)
      most = Math.max(most, Number(row?.['count']))
      await pass(1_000)
    }
    return most
  })()
  return {
    stop: () => {
      isStopped = true
      return sampling
    },
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
