// Time and memory to back up a database of 1 GiB and to verify the backup, in a folder and in S3. The same run measures
// pg_dump and pg_restore by hand for comparison. The API server, the operator and its workers run as shipped, each as a
// separate process; the node of the workers runs in this one.
//
// Run: npm run build && node bench/backup.ts [MiB]. All files are below TMPDIR. The results are in bench/README.md.
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pass } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/base/clock.ts'
import { newServerIdentity } from '../src/base/server-identity.ts'
import { NodeHere } from '../src/cli/dev/node-here.ts'
import { fastClass } from '../src/cli/dev/sample-objects.ts'
import { openLabels } from '../test/controllers/open-labels.ts'
import { flagshipDefinitions } from '../test/e2e/definitions.ts'
import { makePostgresHome, removePostgresHome } from '../test/postgres/postgres-home.ts'
import { PostgresServer } from '../test/postgres/postgres-server.ts'
import { MotoServer } from '../test/rds/moto-server.ts'
import { Asker, withOurServer } from './apiserver/over-http.ts'
import { byHand, byLevel, type HandTimes, processorMs } from './backup/by-hand.ts'
import { fill } from './backup/contents.ts'
import { ProcessWatcher } from './backup/process-watcher.ts'

const mebibyte = 2 ** 20
const [size = '1024'] = process.argv.slice(2)
/** Version that the tools of this machine can back up. */
const version = 15
const limits = { operatorBytes: 200 * mebibyte, workerBytes: 300 * mebibyte, throughput: 0.8 }
const giveUpMs = 1_800_000
const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url))
const group = '/apis/data.konverge.dev/v1alpha1/namespaces/default'
const ours = 'data.konverge.dev/v1alpha1'
const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret-of-the-bench' }

say(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load()}`)
{
  await using started = new AsyncDisposableStack()
  const home = await makePostgresHome()
  started.defer(() => removePostgresHome(home))
  const settings = { shared_buffers: '128MB', max_wal_size: '1GB', full_page_writes: 'on' }
  const server = await PostgresServer.start(home, { version, settings })
  started.defer(() => server.remove())
  const moto = await MotoServer.start()
  started.defer(() => moto.stop())
  await withOurServer(async (access, kubeconfig) => {
    await using running = new AsyncDisposableStack()
    const asker = new Asker(access)
    running.defer(() => asker.close())
    await prepare(asker, server, moto)
    const folder = await mkdtemp(join(tmpdir(), 'konverge-bench-backup-'))
    await chmod(folder, 0o711)
    running.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    // Its pods run the program that started this process; this must be the operator.
    process.argv[1] = main
    await mkdir(join(folder, 'node'))
    const signal = new AbortController().signal
    const reader = { commonName: 'nobody', hosts: [], nowMs: systemClock.now() }
    const logReader = newServerIdentity(reader).certificate // No client reads logs here.
    const node = await NodeHere.start(
      { kubeconfigPath: kubeconfig, folder, environment: process.env, logReader },
      signal,
    )
    running.defer(() => node.stop())
    const operator = startOperator(kubeconfig)
    running.defer(() => operator.stop())
    const watcher = new ProcessWatcher((command) => command.includes(main) || /\/pg_(dump|restore) /.test(command))
    running.defer(() => watcher.stop())
    await measure({ asker, server, moto, watcher, folder })
  })
}

interface Stage {
  readonly asker: Asker
  readonly server: PostgresServer
  readonly moto: MotoServer
  readonly watcher: ProcessWatcher
  readonly folder: string
}

async function measure({ asker, server, moto, watcher, folder }: Stage): Promise<void> {
  await create(asker, 'databases', 'Database', 'big', {
    provider: { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } },
  })
  await become(asker, 'databases/big', 'Ready')
  const bytes = await fill(server, 'big', Number(size) * mebibyte)
  say(`PostgreSQL ${server.version}, a database of ${inMebibytes(bytes)}, load ${load()}`)
  const targets = {
    folder: { pvc: { claimName: 'backups' } },
    s3: {
      s3: { bucket: 'backups', endpoint: moto.url, forcePathStyle: true, credentialsSecretRef: { name: 'keys' } },
    },
  }
  for (const [name, target] of Object.entries(targets)) {
    // Each comparison runs by hand right before, because other processes may load the machine.
    const hand = await byHand(server, 'big', folder)
    tellHand(hand)
    tell(name, await backUp(asker, watcher, name, target), hand)
  }
  for (const { level = 'its own choice', processorMs: takenMs, bytes: packed } of await byLevel(server, 'big', folder))
    say(`pg_dump at level ${level}: ${seconds(takenMs)} of the processor, ${inMebibytes(packed)}`)
  const [operator] = watcher.seen('main.js run ')
  say(`operator's memory: ${inMebibytes(operator?.peakBytes ?? 0)} (limit ${inMebibytes(limits.operatorBytes)})`)
}

interface Made {
  /** From the start of a worker's process to its end. */
  readonly saveMs: number
  readonly proveMs: number
  readonly workerBytes: number
  readonly toolBytes: number
  /** Processor time of all: the server, tools, operator, API server and store too. */
  readonly processorMs: number
  /** Part of the workers themselves, without their tools. */
  readonly workerMs: number
}

async function backUp(asker: Asker, watcher: ProcessWatcher, name: string, target: object): Promise<Made> {
  const [sinceMs, beforeMs] = [performance.now(), processorMs()]
  await create(asker, 'backups', 'Backup', name, { databaseRef: { name: 'big' }, target, artifactPolicy: 'Delete' })
  await become(asker, `backups/${name}`, 'Verified')
  const [save, prove] = ['worker backup', 'worker verify'].map((text) => watcher.seen(text, sinceMs))
  assert(save?.length === 1 && prove?.length === 1, 'a worker was needed twice')
  const takenMs = processorMs() - beforeMs
  const tools = watcher.seen('/pg_', sinceMs)
  const lasted = ([worker]: typeof tools) => (worker?.lastSeenMs ?? 0) - (worker?.firstSeenMs ?? 0)
  await asker.ask('DELETE', `${group}/backups/${name}`)
  return {
    ...{ saveMs: lasted(save), proveMs: lasted(prove) },
    workerBytes: Math.max(...[...save, ...prove].map(({ peakBytes }) => peakBytes)),
    toolBytes: Math.max(...tools.map(({ peakBytes }) => peakBytes)),
    processorMs: takenMs,
    workerMs: [...save, ...prove].reduce((sum, { processorMs: own }) => sum + own, 0),
  }
}

/** Creates the definitions, a bucket, a volume, and the connection Secrets. */
async function prepare(asker: Asker, server: PostgresServer, moto: MotoServer): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const definition of await flagshipDefinitions()) await asker.ask('POST', definitions, JSON.stringify(definition))
  const core = '/api/v1/namespaces/default'
  const access = { host: '127.0.0.1', port: String(server.port), username: 'postgres', password: server.password }
  await asker.ask('POST', `${core}/secrets`, secret('server', access))
  await asker.ask('POST', `${core}/secrets`, secret('keys', keys))
  await asker.ask('POST', '/apis/storage.k8s.io/v1/storageclasses', JSON.stringify(fastClass))
  const claim = {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'backups' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '4Gi' } } },
  }
  await asker.ask('POST', `${core}/persistentvolumeclaims`, JSON.stringify(claim))
  const authorization = 'AWS4-HMAC-SHA256 Credential=test/20260310/us-east-1/s3/aws4_request'
  await fetch(`${moto.url}/backups`, { method: 'PUT', headers: { authorization } })
  while (!(await isServed(asker))) await pass(50)
}

async function isServed(asker: Asker): Promise<boolean> {
  const served = ['databases', 'backups'].map((plural) => asker.ask('GET', `${group}/${plural}`))
  return (await Promise.allSettled(served)).every(({ status }) => status === 'fulfilled')
}

function secret(name: string, stringData: Readonly<Record<string, string>>): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: openLabels }, stringData })
}

async function create(asker: Asker, plural: string, kind: string, name: string, spec: object): Promise<void> {
  await asker.ask('POST', `${group}/${plural}`, JSON.stringify({ apiVersion: ours, kind, metadata: { name }, spec }))
}

async function become(asker: Asker, path: string, type: string): Promise<void> {
  for (const startedMs = performance.now(); performance.now() - startedMs < giveUpMs; await pass(200)) {
    const { status } = JSON.parse(await asker.ask('GET', `${group}/${path}`)) as Told // As the API server answers.
    if (status?.phase === 'Failed') throw new Error(`${path}: ${JSON.stringify(status)}`)
    if (status?.conditions?.find((known) => known.type === type)?.status === 'True') return
  }
  throw new Error(`${path} does not become ${type}`)
}

interface Told {
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

function startOperator(kubeconfig: string): { stop(): Promise<void> } {
  const args = ['run', '--kubeconfig', kubeconfig, '--http-host', '127.0.0.1', '--http-port', '0']
  const operator = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  operator.stdout.resume()
  return {
    stop: async () => {
      const ended = once(operator, 'close')
      operator.kill('SIGTERM')
      await ended
    },
  }
}

function tellHand({ dumpMs, restoreMs, pipeMs, processorMs: takenMs }: HandTimes): void {
  say(
    `by hand: pg_dump to a file ${seconds(dumpMs)}, pg_restore of it ${seconds(restoreMs)}, together ${seconds(takenMs)} of the processor; ` +
      `one into the other ${seconds(pipeMs)}; load ${load()}`,
  )
}

function tell(name: string, { saveMs, proveMs, workerBytes, toolBytes, ...made }: Made, hand: HandTimes): void {
  say(
    `${name}: saved in ${seconds(saveMs)}, proven in ${seconds(proveMs)}, together ${seconds(made.processorMs)} of the processor, ` +
      `of which ${seconds(made.workerMs)} are the workers' own; load ${load()}`,
  )
  say(
    `  throughput against by hand: saving ${ratio(hand.dumpMs, saveMs)}, proving ${ratio(hand.restoreMs, proveMs)}, ` +
      `both ${ratio(hand.dumpMs + hand.restoreMs, saveMs + proveMs)} (wanted ${limits.throughput}); by time of the processor ` +
      `${ratio(hand.processorMs, made.processorMs)}; against one into the other ${ratio(hand.pipeMs, saveMs + proveMs)}`,
  )
  say(
    `  a worker's memory ${inMebibytes(workerBytes)} (limit ${inMebibytes(limits.workerBytes)}), ` +
      `with its tool at most ${inMebibytes(workerBytes + toolBytes)}`,
  )
}

/** Ratio of throughputs, for equal work. */
function ratio(handMs: number, oursMs: number): string {
  return (handMs / oursMs).toFixed(2)
}

function inMebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(0)} MiB`
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
