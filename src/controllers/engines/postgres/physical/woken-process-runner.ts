// Starts a server on a copy of its files, as a child process with a socket in its own folder and only the operator's
// settings. Resolves when it has recovered and answers. Invariant: the child is killed when its signal aborts, and by
// `stop`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ExternalTools, sleep } from '../../../../index.ts'
import { EngineError } from '../../engine-error.ts'
import type { ServerUser, WakeCall, WokenServer } from '../../physical-engine.ts'
import type { ServerAccess } from '../../server-access.ts'
import { asEngineError } from '../failure.ts'
import { SessionClient } from '../session-client.ts'
import { wokenFailure } from './woken-failure.ts'
import { wokenHba, wokenPort, wokenSettings } from './woken-settings.ts'

export interface WokenOptions {
  readonly clock: ExternalTools['clock']
  readonly user: ServerUser | undefined
  readonly binFolder: string
  readonly environment: Readonly<Record<string, string>>
}

/** Characters of the log that are kept, from its start. */
const mostWords = 64 * 1_024
const everyMs = 100

export class WokenProcess implements WokenServer {
  readonly access: ServerAccess
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #signal: AbortSignal
  #words = ''

  private constructor(child: ChildProcess, { username, signal }: WakeCall) {
    this.#child = child
    this.#signal = signal
    this.#ended = once(child, 'close').catch(() => undefined)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (this.#words.length < mostWords) this.#words += text
    })
    this.access = {
      ...{
        host: 'localhost',
        port: wokenPort,
        username,
        password: '',
        maintenanceDatabase: 'postgres',
        tls: 'disable',
      },
      // A socket path has a short maximum length, which the path of a pod's volume exceeds. /proc leads to the server's
      // own folder.
      socket: `/proc/${child.pid}/cwd/.s.PGSQL.${wokenPort}`,
    }
  }

  static async start(call: WakeCall, { clock, user, binFolder, environment }: WokenOptions): Promise<WokenProcess> {
    const { dataFolder, majorVersion, areKept = false, signal } = call
    const folder = `${dataFolder}.settings`
    await mkdir(folder, { mode: 0o755 })
    const [configFile, hbaFile] = [join(folder, 'postgresql.conf'), join(folder, 'pg_hba.conf')]
    await writeFile(configFile, wokenSettings(majorVersion, areKept))
    await writeFile(hbaFile, wokenHba)
    // The server always reads postgresql.auto.conf. A copied standby would continue to replicate.
    const own = join(dataFolder, 'postgresql.auto.conf')
    await writeFile(own, '')
    if (user !== undefined) {
      await chown(own, user.uid, user.gid)
      await letThrough(dataFolder)
    }
    for (const name of ['standby.signal', 'recovery.signal']) await rm(join(dataFolder, name), { force: true })
    const args = ['-D', dataFolder, '-c', `config_file=${configFile}`, '-c', `hba_file=${hbaFile}`]
    const child = spawn(join(binFolder, 'postgres'), args, {
      ...{ env: environment, stdio: ['ignore', 'ignore', 'pipe'], cwd: dataFolder },
      ...user,
    })
    const woken = new WokenProcess(child, call)
    try {
      await woken.#untilItAnswers(clock, signal)
      return woken
    } catch (error) {
      await woken.stop()
      throw error
    }
  }

  async rest(): Promise<void> {
    const giveUp = () => this.#child.kill('SIGQUIT')
    this.#signal.addEventListener('abort', giveUp, { once: true })
    try {
      this.#signal.throwIfAborted()
      this.#child.kill('SIGINT')
      await this.#ended
      this.#signal.throwIfAborted()
    } finally {
      this.#signal.removeEventListener('abort', giveUp)
    }
    const { exitCode, signalCode } = this.#child
    if (exitCode !== 0) throw wokenFailure(this.#words, signalCode)
  }

  /** Stops immediately, because the files are not needed any more. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGQUIT')
    await this.#ended
  }

  async #untilItAnswers(clock: ExternalTools['clock'], signal: AbortSignal): Promise<void> {
    const { access } = this
    for (;;) {
      signal.throwIfAborted()
      if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) {
        await this.#ended
        throw wokenFailure(this.#words, this.#child.signalCode)
      }
      const options = { access, database: 'postgres', applicationName: 'konverge', clock }
      const session = await SessionClient.open(options, signal).catch((error: unknown) => {
        if (isNotThereYet(error, access)) return undefined
        throw error
      })
      if (session !== undefined) {
        await session.close()
        return
      }
      await sleep(clock, everyMs, signal)
    }
  }
}

/**
 * Gives another user passage through the work folder and the volume, which belong to this process, without read access.
 */
async function letThrough(dataFolder: string): Promise<void> {
  const work = dirname(dataFolder)
  for (const path of [work, dirname(work)]) {
    const { mode } = await stat(path)
    if ((mode & passage) !== passage) await chmod(path, (mode & 0o7777) | passage)
  }
}

const passage = 0o011

/** The socket does not exist yet, or the server is recovering. */
function isNotThereYet(thrown: unknown, { username }: ServerAccess): boolean {
  const error = asEngineError(thrown, { attempt: 'reach the copy of the server', admin: username })
  return error instanceof EngineError && error.remedy !== 'stop'
}
