// Database server of a test: a PostgreSQL process on loopback with its own data folder. It can be stopped, killed,
// paused and started again at the same port, and its log can be read.
// It ends with the process that started it.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { chown, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { ServerAccess } from '../../src/controllers/engines/server-access.ts'
import { freePorts } from '../control-plane/free-ports.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { certifiedKey } from './certificate.ts'
import { type HomeVersion, type PostgresHome, superuser } from './postgres-home.ts'

const run = promisify(execFile)

export interface PostgresOptions {
  /** The major version. Default: the newest installed one. */
  readonly version?: number
  /** Additional lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>
  /** Offers TLS with its own certificate for these names and addresses. */
  readonly tlsFor?: readonly string[]
  /** Offers TLS with this certificate and its key, in PEM. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string }
  /** Lines before those of pg_hba.conf. */
  readonly hba?: readonly string[]
}

/** Options of statements that a test runs as superuser. */
export interface ByHand {
  readonly database?: string
  readonly user?: string
  readonly password?: string
  readonly values?: readonly unknown[]
  /** Limit for the connection, in milliseconds. */
  readonly limitMs?: number
}

export class PostgresServer {
  readonly version: number
  readonly port: number
  readonly password: string
  /** PEM; undefined without TLS. */
  readonly certificate: string | undefined
  readonly #binFolder: string
  readonly #home: PostgresHome
  readonly #folder: string
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  #isPaused = false
  /** Pending statements of `byHand`. */
  readonly #asked = new Set<Promise<unknown>>()
  #crashing: Promise<void> | undefined

  private constructor(of: Made) {
    this.version = of.version.major
    this.#binFolder = of.version.binFolder
    this.port = of.port
    this.password = of.home.password
    this.certificate = of.certificate
    this.#home = of.home
    this.#folder = of.folder
    this.#args = of.args
  }

  /** Copies a data folder and starts a server on it; resolves when the server answers. */
  static async start(home: PostgresHome, options: PostgresOptions = {}): Promise<PostgresServer> {
    const version =
      options.version === undefined
        ? home.versions.at(-1)
        : home.versions.find(({ major }) => major === options.version)
    if (version === undefined) throw new Error(`There is no PostgreSQL ${options.version} on this machine.`)
    const folder = mkdtempSync(join(home.folder, `server-${version.major}-`))
    await owned(home, folder)
    await run('cp', ['-a', '--reflink=auto', version.template, join(folder, 'data')], { ...home.user })
    const tls = options.tls ?? (options.tlsFor === undefined ? undefined : ownTls(options.tlsFor))
    if (tls !== undefined) await writeTls(home, folder, tls)
    const certificate = tls?.certificate
    const [port = 0] = await freePorts(1)
    if (options.hba !== undefined) await prependHba(join(folder, 'data', 'pg_hba.conf'), options.hba)
    const args = argsOf(folder, { ...tlsSettings(folder, certificate), port: String(port), ...options.settings })
    const server = new PostgresServer({ home, version, folder, port, certificate, args })
    try {
      await server.start()
    } catch (error) {
      await server.remove()
      throw error
    }
    return server
  }

  /** Returns the access of the superuser without TLS; `changes` override it. */
  access(changes: Partial<ServerAccess> = {}): ServerAccess {
    return {
      host: '127.0.0.1',
      port: this.port,
      username: superuser,
      password: this.password,
      maintenanceDatabase: 'postgres',
      tls: 'disable',
      ...changes,
    }
  }

  /** Starts the server again after stop or kill. */
  async start(): Promise<void> {
    const log = openSync(this.#logFile, 'a')
    try {
      this.#child = spawn('/bin/sh', ['-c', untilWeEnd, 'sh', join(this.#binFolder, 'postgres'), ...this.#args], {
        stdio: ['pipe', log, log],
        cwd: this.#folder,
        ...this.#home.user,
        env: { LC_ALL: 'C', TZ: 'UTC' },
        detached: true,
      })
      this.#child.stdin?.on('error', () => undefined) // The pipe that keeps the server alive carries no data.
    } finally {
      closeSync(log)
    }
    await waitUntil(
      {
        what: `PostgreSQL ${this.version} to answer`,
        everyMs: 20,
        giveUp: () => this.#throwIfEnded(),
      },
      async () => (await this.#ask('SELECT 1', {})).length === 1,
    )
  }

  /** `fast` ends the sessions, `smart` waits for them to end, `immediate` skips the shutdown checkpoint. */
  async stop(how: 'fast' | 'smart' | 'immediate' = 'fast'): Promise<void> {
    const signal = { fast: 'SIGINT', smart: 'SIGTERM', immediate: 'SIGQUIT' } as const
    await this.#end(() => this.#signal(signal[how]))
  }

  async restart(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.stop(how)
    await this.start()
  }

  /** Kills all processes, like a power failure. */
  async kill(): Promise<void> {
    const first = this.#postmaster()
    // A stopped postmaster starts no further process, which would survive and keep the shared memory from the next
    // server.
    if (first !== undefined) signalTo(first, 'SIGSTOP')
    const pids = this.#pids()
    await this.#end(() => {
      for (const pid of pids) signalTo(pid, 'SIGKILL')
    })
    const wait = { what: 'the processes of a killed server to end', everyMs: 2 }
    await waitUntil(wait, async () => pids.every((pid) => parentOf(pid) === undefined))
  }

  /** Kills the server and starts it again. Pending statements of `byHand` complete first, and later ones wait. */
  crash(): Promise<void> {
    this.#crashing ??= this.#crash().finally(() => {
      this.#crashing = undefined
    })
    return this.#crashing
  }

  /** True if it was killed and is not up again yet. */
  get isCrashing(): boolean {
    return this.#crashing !== undefined
  }

  /** Pauses all its processes: connections stay open and the kernel accepts new ones, but none gets an answer. */
  pause(): void {
    this.#isPaused = true
    for (const pid of this.#pids()) signalTo(pid, 'SIGSTOP')
  }

  resume(): void {
    this.#isPaused = false
    for (const pid of this.#pids()) signalTo(pid, 'SIGCONT')
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Stops the server and removes all its files. */
  async remove(): Promise<void> {
    if (this.#isRunning()) {
      this.resume()
      await this.stop('immediate')
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Returns the server's log since its first start. */
  log(): string {
    return readFileSync(this.#logFile, 'utf8')
  }

  /** Opens a connection, runs one or several statements, and returns the rows of a single statement. */
  async byHand(text: string, options: ByHand = {}): Promise<readonly Record<string, unknown>[]> {
    await this.#crashing
    const answer = this.#ask(text, options)
    this.#asked.add(answer)
    return answer.finally(() => this.#asked.delete(answer))
  }

  async #ask(text: string, options: ByHand): Promise<readonly Record<string, unknown>[]> {
    const { values } = options
    const client = this.#client(options)
    try {
      await client.connect()
      const { rows } = await client.query(text, values === undefined ? undefined : [...values])
      return rows
    } finally {
      await client.end()
    }
  }

  /** Opens a session that stays until it is ended. */
  async connect(options: Omit<ByHand, 'values'> = {}): Promise<Client> {
    const client = this.#client(options)
    await client.connect()
    return client
  }

  #client({ database = 'postgres', user = superuser, password = this.password, limitMs = 60_000 }: ByHand): Client {
    const address = { host: '127.0.0.1', port: this.port, connectionTimeoutMillis: limitMs }
    const client = new Client({ ...address, user, password, database, ssl: false, application_name: 'by hand' })
    client.on('error', () => undefined) // The caller gets the error by the rejection.
    return client
  }

  async #crash(): Promise<void> {
    await Promise.allSettled(this.#asked)
    await this.kill()
    await this.start()
  }

  get #logFile(): string {
    return join(this.#folder, 'log')
  }

  /** Returns the first process and its children; none if it does not run. */
  #pids(): readonly number[] {
    const first = this.#postmaster()
    if (first === undefined) return []
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === first)
    return [first, ...children]
  }

  #postmaster(): number | undefined {
    const file = join(this.#folder, 'data', 'postmaster.pid')
    return this.#isRunning() && existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#postmaster()
    if (pid !== undefined) signalTo(pid, signal)
  }

  async #end(how: () => void): Promise<void> {
    const child = this.#child
    if (child === undefined || !this.#isRunning()) return
    const ended = once(child, 'exit')
    how()
    await ended
    child.stdin?.destroy()
  }

  #isRunning(): boolean {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  #throwIfEnded(): void {
    if (this.#isRunning()) return
    throw new Error(`PostgreSQL ${this.version} ended by itself. Its last words:\n${this.log().slice(-2_000)}`)
  }
}

interface Made {
  readonly home: PostgresHome
  readonly version: HomeVersion
  readonly folder: string
  readonly port: number
  readonly certificate: string | undefined
  readonly args: readonly string[]
}

/** The server ends when this process closes its end of the pipe, for any reason. */
const untilWeEnd = `
exec 3<&0
"$@" < /dev/null 3<&- &
server=$!
(cat <&3 > /dev/null; kill -QUIT $server 2> /dev/null) &
exec 3<&-
wait $server
`

function argsOf(folder: string, settings: Readonly<Record<string, string>>): readonly string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '16MB',
    min_wal_size: '2MB',
    autovacuum: 'off',
    log_line_prefix: '%m [%p] %u@%d %a: ',
    ...settings,
  }
  return ['-D', join(folder, 'data'), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function tlsSettings(folder: string, certificate: string | undefined): Readonly<Record<string, string>> {
  if (certificate === undefined) return {}
  return { ssl: 'on', ssl_cert_file: join(folder, 'tls.crt'), ssl_key_file: join(folder, 'tls.key') }
}

type Tls = NonNullable<PostgresOptions['tls']>

function ownTls(hosts: readonly string[]): Tls {
  const { certificate, privateKey } = certifiedKey(hosts)
  return { certificate, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

async function writeTls(home: PostgresHome, folder: string, { certificate, privateKey }: Tls): Promise<void> {
  await writeFile(join(folder, 'tls.crt'), certificate)
  await writeFile(join(folder, 'tls.key'), privateKey, { mode: 0o600 })
  await owned(home, join(folder, 'tls.crt'))
  await owned(home, join(folder, 'tls.key'))
}

async function prependHba(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, `${lines.join('\n')}\n${readFileSync(path, 'utf8')}`)
}

async function owned({ user }: PostgresHome, path: string): Promise<void> {
  if (user !== undefined) await chown(realpathSync(path), user.uid, user.gid)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has no data but its name until its parent waits for it.
    return state === 'Z' ? undefined : Number(parent)
  } catch {
    return undefined // The process has ended.
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended.
  }
}
