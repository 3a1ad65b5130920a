// Start of the API server of this package in this process: log in memory or in a folder, control plane, HTTPS server,
// kubeconfig. Invariants: a failed start leaves nothing behind; an invalid option gives one sentence.
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { Cluster } from '../apiserver/cluster.ts'
import { controllerChoice } from '../apiserver/controllers/controller-choice.ts'
import { type HttpServer, startHttpServer } from '../apiserver/http-server.ts'
import { kubeconfigText } from '../apiserver/kubeconfig.ts'
import { KubeletClient } from '../apiserver/kubelet-client.ts'
import { openPersistedLog, type PersistedLog, PersistenceError } from '../apiserver/persistence/log-recorder.ts'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { systemRandom } from '../base/random.ts'
import { newServerIdentity, type ServerIdentity } from '../base/server-identity.ts'
import { CommandError } from './command-error.ts'
import { writeKubeconfig } from './kubeconfig-file.ts'
import { checkFolderToKeep, makeOwnFolder, sweepLeftovers } from './own-folder.ts'
import { type KnownServer, keepServer, newServer, readServer } from './persisted-identity.ts'

export interface EmbeddedServerOptions {
  /** Address to listen on. */
  readonly host: string
  /** 0 takes any free port. In a persisted folder, 0 prefers the previous port. */
  readonly port: number
  /**
   * Bearer token of the only user, a cluster administrator; absent: a random token, or that of the persisted folder.
   */
  readonly token?: string | undefined
  /** Path of the kubeconfig to write; absent: in the persisted folder, or in a temporary folder that `stop` removes. */
  readonly kubeconfig?: string | undefined
  /** Folder that keeps the log across restarts; absent: the log is in memory. */
  readonly persist?: string | undefined
  /** Keeps only the complete records of a corrupt log. */
  readonly repair?: boolean | undefined
  /** Names as in kube-controller-manager's flag `--controllers`; absent: all. */
  readonly controllers?: readonly string[] | undefined
  /** Number of nodes with simulated pods; absent: none. */
  readonly simulatedNodes?: number | undefined
  /** Receives internal errors of the server. */
  readonly onFault: (thrown: unknown) => void
}

export interface EmbeddedServer {
  /** URL that a client on this machine can use. */
  readonly url: string
  readonly kubeconfigPath: string
  readonly token: string
  readonly identity: ServerIdentity
  /** PEM certificate with which the server authenticates to kubelets. */
  readonly kubeletReader: string
  /** The server read no records from a persisted folder. */
  readonly isFresh: boolean
  stop(): Promise<void>
}

const loopback = /^(localhost|127(\.\d+){3}|::1)$/
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

/** Starts the server. Rejects with a CommandError of exit code 2 if an option is invalid. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { host, persist } = options
  checkReach(options)
  if (persist !== undefined) checkFolderToKeep(persist)
  await using undo = new AsyncDisposableStack()
  const persisted = persist === undefined ? undefined : openLog(persist, options.repair === true)
  if (persisted !== undefined) undo.defer(() => persisted.close())
  const hosts = hostsOf(host)
  const known = persist === undefined ? newServer(hosts) : await readServer(persist, hosts)
  const { identity } = known
  const token = options.token ?? known.token
  // The client certificate is new in each process, so that a kubelet of another process does not serve its readers.
  const reader = newServerIdentity({ commonName: 'kube-apiserver-kubelet-client', hosts: [], nowMs: systemClock.now() })
  const cluster = newCluster(options, { token, known, persisted, reader })
  undo.defer(() => cluster.stop())
  checkControllers(options.controllers ?? [], cluster)
  const http = await listen(options, cluster, known)
  undo.defer(() => http.close())
  if (persist !== undefined) await keepServer(persist, { ...known, port: http.port })
  const wildcard = wildcards[host]
  const url = wildcard === undefined ? http.url : `https://${wildcard}:${http.port}`
  const folder = persist ?? (options.kubeconfig === undefined ? await ownFolder(undo) : '')
  const text = kubeconfigText({ url, certificate: identity.certificate, token })
  const file = await writeKubeconfig(options.kubeconfig ?? join(folder, 'kubeconfig'), text)
  undo.defer(() => file.remove())
  const isFresh = persisted === undefined || persisted.read === 0
  const stack = undo.move()
  const started = { url, kubeconfigPath: file.path, token, identity, kubeletReader: reader.certificate, isFresh }
  return { ...started, stop: () => stack.disposeAsync() }
}

/** Throws unless the user sets a token before other machines can reach the port. The token grants all rights. */
function checkReach({ host, token }: EmbeddedServerOptions): void {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new CommandError('--token: give a text of letters, digits and signs, without blanks', 2)
  if (token === undefined && !loopback.test(host))
    throw new CommandError(
      `--host: ${host} is reached from other machines, so say by --token who may come in, or listen on 127.0.0.1`,
      2,
    )
}

function openLog(folder: string, repairs: boolean): PersistedLog {
  try {
    return openPersistedLog({ folder, repairs })
  } catch (thrown) {
    if (thrown instanceof PersistenceError) throw new CommandError(thrown.message, 2)
    throw new CommandError(`--persist: cannot keep a log in ${folder}: ${messageOf(thrown)}; name another folder`, 2)
  }
}

interface Found {
  readonly token: string
  readonly known: KnownServer
  readonly persisted: PersistedLog | undefined
  readonly reader: ServerIdentity
}

function newCluster(options: EmbeddedServerOptions, { token, known, persisted, reader }: Found): Cluster {
  const { controllers, simulatedNodes } = options
  const user = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
  return new Cluster({
    clock: systemClock,
    random: systemRandom,
    tokens: new Map([[token, user]]),
    tokenKey: known.tokenKey,
    rootCertificate: known.identity.certificate,
    kubelets: new KubeletClient(reader),
    ...(persisted === undefined ? {} : { log: persisted.log }),
    ...(controllers === undefined ? {} : { controllers }),
    ...(simulatedNodes === undefined ? {} : { simulatedNodes }),
  })
}

function checkControllers(words: readonly string[], { controllerNames }: Cluster): void {
  const [unknown] = controllerChoice(words, controllerNames).unknown
  if (unknown === undefined) return
  const known = [...controllerNames, '*', 'none'].join(', ')
  throw new CommandError(`--controllers: there is no controller '${unknown}'; choose from ${known}`, 2)
}

/** Listens on the previous port if the option allows any port and that one is free. */
async function listen(options: EmbeddedServerOptions, cluster: Cluster, known: KnownServer): Promise<HttpServer> {
  const { host, port, onFault } = options
  const { identity } = known
  const start = (at: number) =>
    startHttpServer({ server: cluster.server, random: systemRandom, host, port: at, identity, onFault })
  try {
    if (port !== 0 || known.port === undefined) return await start(port)
    return await start(known.port).catch(() => start(0))
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
    const cure =
      code === 'EADDRINUSE' || code === 'EACCES' ? '--port names another, and 0 takes any free one' : 'see --host'
    throw new CommandError(`cannot listen on ${host}:${port}: ${messageOf(thrown)}; ${cure}`, 2)
  }
}

/** Returns the names and addresses that the server's certificate covers. */
function hostsOf(host: string): readonly string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const others = wildcards[host] === undefined ? [host] : [hostname(), ...interfaces.map(({ address }) => address)]
  return [...new Set(['localhost', '127.0.0.1', '::1', ...others])]
}

const folderPrefix = 'konverge-apiserver-'

async function ownFolder(undo: AsyncDisposableStack): Promise<string> {
  await sweepLeftovers(folderPrefix, () => Promise.resolve())
  const folder = await makeOwnFolder(folderPrefix)
  undo.defer(() => folder.remove())
  return folder.path
}
