// Real Kubernetes control plane for tests. startControlPlane runs etcd, kube-apiserver and, optionally, the controller
// manager, the
// scheduler and kwok, on free loopback ports in one temporary folder. Its programs end when this process ends for any
// reason;
// stop() leaves neither a process nor a file.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newServerIdentity } from '../../src/base/server-identity.ts'
import { storageClasses } from '../../src/cli/dev/sample-objects.ts'
import { findOrBuildBinaries } from './binary-builder.ts'
import type { Blueprint, ServerProgram } from './blueprint.ts'
import { clientProgramsOf, connectionOf, environmentOf, filesToWrite, neededPrograms } from './blueprint.ts'
import { fakeNode } from './cluster-objects.ts'
import { ControlPlaneClient } from './control-plane-client.ts'
import { onExitSignal } from './exit-signal.ts'
import { freePorts } from './free-ports.ts'
import type { Layout } from './layout.ts'
import { etcdUrl, folderPrefix, ownerFile } from './layout.ts'
import { ownerText, removeLeftovers, removeLeftoversNow, sweepLeftovers } from './leftovers.ts'
import { flagsOf } from './program-flags.ts'
import { ServerProcess } from './server-process.ts'
import type { Tokens } from './users.ts'
import { userNames } from './users.ts'
import { waitUntil } from './wait-until.ts'

export interface ControlPlaneOptions {
  /** Number of simulated nodes, on which pods become ready at once. Without it there are no nodes. */
  readonly kwok?: { readonly nodes: number } | undefined
  /** Runs the controller manager and the scheduler. Default: true. */
  readonly controllers?: boolean
  /** Records every request for `auditEvents()`, at a cost of one kilobyte per request. Default: false. */
  readonly auditLog?: boolean
  /** Additional flags of the API server, for a cluster that is older or stricter than the default. */
  readonly apiServerFlags?: readonly string[]
  /** Environment for KUBEBUILDER_ASSETS, XDG_CACHE_HOME, HOME and PATH. Default: this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Aborts the start while it waits for a build or before it starts a program; later, `stop()` ends it. */
  readonly signal?: AbortSignal
}

const startLimitMs = 120_000
const stopLimitMs = 5_000
/** With open watches the API server takes a minute to end by itself; all other requests have ended long before. */
const apiServerStopLimitMs = 1_000

/**
 * Starts a control plane. Returns when the API server is ready, the controllers work and every node is Ready. The first
 * start on a
 * machine builds the programs, which takes minutes. Throws and removes everything if a program is missing, ends by
 * itself, or
 * is not ready within two minutes.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const environment = options.environment ?? process.env
  const { kwok, controllers = true, auditLog = false, apiServerFlags = [], signal } = options
  const choices = { nodes: kwok?.nodes, controllers, auditLog, apiServerFlags }
  const binaries = await findOrBuildBinaries(neededPrograms(choices), environment, signal)
  await sweepLeftovers()
  const controlPlane = new ControlPlane({
    layout: await newLayout(),
    choices,
    tokens: Object.fromEntries(userNames.map((name) => [name, randomUUID()])) as Tokens, // Every name is in userNames.
    serviceAccountKey: newPrivateKey(),
    kubeletReader: newServerIdentity({ commonName: 'kube-apiserver', hosts: [], nowMs: Date.now() }),
    binaries,
    path: environment['PATH'] ?? '',
  })
  try {
    signal?.throwIfAborted()
    await controlPlane.start()
    return controlPlane
  } catch (error) {
    await controlPlane.stop()
    throw error
  }
}

/** A control plane whose programs are children of this process. Only `startControlPlane` creates it. */
export class ControlPlane extends ControlPlaneClient {
  readonly #blueprint: Blueprint
  readonly #etcd: ServerProcess
  readonly #apiServer: ServerProcess
  /** Programs that are clients of the API server. */
  readonly #clients: readonly ServerProcess[]
  #stopped: Promise<void> | undefined
  #ignoreSignals = () => {}

  constructor(blueprint: Blueprint) {
    super(connectionOf(blueprint))
    this.#blueprint = blueprint
    this.#etcd = serverProcess('etcd', blueprint)
    this.#apiServer = serverProcess('kube-apiserver', blueprint)
    this.#clients = clientProgramsOf(blueprint.choices).map((program) => serverProcess(program, blueprint))
  }

  /** Process ids of the running programs, in start order. */
  get pids(): readonly number[] {
    return this.#programs().flatMap((program) => program.pid ?? [])
  }

  async start(): Promise<void> {
    const { nodes, controllers } = this.#blueprint.choices
    this.#ignoreSignals = onExitSignal(() => this.stop())
    process.once('exit', this.#onExit)
    await Promise.all(filesToWrite(this.#blueprint).map(({ path, text }) => writeFile(path, text, { mode: 0o600 })))
    this.#launch(this.#etcd)
    await this.#until('etcd to be ready', async () => (await fetch(`${this.#etcdUrl}/health`)).ok)
    await this.startApiServer()
    for (const object of storageClasses) await this.create('/apis/storage.k8s.io/v1/storageclasses', object)
    for (let index = 0; index < (nodes ?? 0); index++) await this.create('/api/v1/nodes', fakeNode(index))
    for (const client of this.#clients) this.#launch(client)
    if (controllers) await this.#until('the controllers to work', () => this.#haveControllersMadeTheirFirstObject())
    if (nodes !== undefined) await this.#until('the nodes to be Ready', () => this.#areNodesReady())
  }

  /** Ends every program, the API server's clients first, and removes all files. Later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /**
   * Ends the API server: connections break, and its port refuses new ones. The other programs keep running and retry.
   */
  async stopApiServer(): Promise<void> {
    await this.#apiServer.stop(apiServerStopLimitMs)
  }

  /** Starts the API server on the same port with the same certificate and data; returns when it is ready. */
  async startApiServer(): Promise<void> {
    this.#launch(this.#apiServer)
    await this.#until(
      'the API server to be ready',
      async () => (await this.request({ method: 'GET', path: '/readyz' })).status === 200,
    )
  }

  async restartApiServer(): Promise<void> {
    await this.stopApiServer()
    await this.startApiServer()
  }

  /**
   * Removes all history. Afterwards the server answers 410 to a watch from any earlier resourceVersion, and to the
   * continuation of a
   * paged list. Etcd compaction keeps the newest revision, so this first writes a newer, unrelated one. The API
   * server's watch cache
   * would still answer from memory, and only a restart empties it, so this also restarts the API server.
   */
  async compactEtcd(): Promise<void> {
    const entry = { key: Buffer.from('compacted').toString('base64'), value: '' }
    const { header } = (await this.#askEtcd('/v3/kv/put', entry)) as { header: { revision: string } } // A PutResponse.
    await this.#askEtcd('/v3/kv/compaction', { revision: header.revision, physical: true })
    await this.restartApiServer()
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.stop(stopLimitMs)))
    await this.#apiServer.stop(apiServerStopLimitMs)
    await this.#etcd.stop(stopLimitMs)
    await removeLeftovers(this.#blueprint.layout)
    this.#ignoreSignals()
    process.off('exit', this.#onExit)
  }

  /** An exit handler cannot await. */
  readonly #onExit = () => {
    for (const program of this.#programs()) program.kill()
    removeLeftoversNow(this.#blueprint.layout)
  }

  #programs(): readonly ServerProcess[] {
    return [this.#etcd, this.#apiServer, ...this.#clients]
  }

  /** A start may still run while a stop ends the programs it found, so nothing starts after a stop. */
  #launch(program: ServerProcess): void {
    this.#throwIfStopped()
    program.start()
  }

  #throwIfStopped(): void {
    if (this.#stopped !== undefined) throw new Error('The control plane was stopped while it started.')
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const giveUp = () => {
      for (const program of this.#programs()) program.throwIfEnded()
      this.#throwIfStopped()
    }
    await waitUntil({ what, limitMs: startLimitMs, giveUp }, isSo)
  }

  /** The service account controller creates this account as soon as it runs, and all controllers start together. */
  async #haveControllersMadeTheirFirstObject(): Promise<boolean> {
    const path = '/api/v1/namespaces/default/serviceaccounts/default'
    return (await this.request({ method: 'GET', path })).status === 200
  }

  /** Without controllers, a node keeps the taint from admission. */
  async #areNodesReady(): Promise<boolean> {
    const { choices } = this.#blueprint
    const { text } = await this.request({ method: 'GET', path: '/api/v1/nodes' })
    const { items } = JSON.parse(text) as { readonly items: readonly NodeState[] } // Schema of a NodeList.
    const ready = items.filter(
      ({ spec, status }) =>
        status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true &&
        (!choices.controllers || (spec.taints ?? []).length === 0),
    )
    return ready.length === choices.nodes
  }

  get #etcdUrl(): string {
    return etcdUrl(this.#blueprint.layout)
  }

  async #askEtcd(path: string, body: object): Promise<unknown> {
    const answer = await fetch(`${this.#etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`etcd refused ${path} with ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
}

interface NodeState {
  readonly spec: { readonly taints?: readonly object[] }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function newLayout(): Promise<Layout> {
  const [apiServerPort = 0, etcdPort = 0, etcdPeerPort = 0] = await freePorts(3)
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  const volumeMark = randomBytes(6).toString('hex')
  await writeFile(join(folder, ownerFile), ownerText(volumeMark))
  return { folder, apiServerPort, etcdPort, etcdPeerPort, volumeMark }
}

function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString()
}

function serverProcess(program: ServerProgram, blueprint: Blueprint): ServerProcess {
  const { layout, choices, binaries } = blueprint
  return new ServerProcess({
    name: program,
    path: join(binaries, program),
    flags: flagsOf(program, layout, { ...choices, kwokFiles: kwokFiles() }),
    environment: environmentOf(program, blueprint),
    logFile: join(layout.folder, `${program}.log`),
  })
}

function kwokFiles(): readonly string[] {
  const folder = join(import.meta.dirname, 'kwok')
  const stages = readdirSync(join(folder, 'stages')).filter((name) => name.endsWith('.yaml'))
  return [join(folder, 'settings.yaml'), ...stages.map((name) => join(folder, 'stages', name))]
}
