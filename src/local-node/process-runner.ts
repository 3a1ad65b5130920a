// Processes of containers. Each runs in a session of its own. A record in the data folder exists from its start, so
// that a later node can end it after a kill of this one. Invariant: when a process ends, its descendants end too.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Clock, sleep } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { isJsonObject } from '../base/json.ts'
import { sessionOf, startMarkOf } from '../base/process-loader.ts'
import type { Program } from './images.ts'
import { privateFileMode, privateMode } from './private-folder-provisioner.ts'

export interface ProcessStart {
  readonly containerId: string
  readonly program: Program
  /** Grace period after which a later node kills the process. */
  readonly graceMs: number
}

/** Process that is running or has ended. */
export interface LocalProcess {
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
  /** Exit code; 128 plus the signal's number after a signal. Resolves after its output has been read. */
  readonly exit: Promise<number>
  /** Sends SIGTERM to the process. */
  terminate(): void
  /** Kills the process and its descendants. */
  kill(): void
}

export interface ProcessRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  /** Folder of the process records. */
  readonly folder: string
}

interface ProcessRecord {
  readonly pid: number
  readonly startMark: string
  readonly graceMs: number
}

/** Time for output to arrive after the end of all its writers. */
const outputLimitMs = 1_000
const orphanPollMs = 50
const longestOrphanGraceMs = 30_000

export class ProcessRunner {
  readonly #options: ProcessRunnerOptions

  constructor(options: ProcessRunnerOptions) {
    this.#options = options
    mkdirSync(options.folder, { recursive: true, mode: privateMode })
  }

  /** Starts a program. Rejects if that fails; no process remains then. */
  async start({ containerId, program, graceMs }: ProcessStart): Promise<LocalProcess> {
    const child = spawn(program.command, program.args, {
      cwd: program.workingFolder,
      env: Object.fromEntries(program.environment),
      // In its own session, signals of the terminal do not reach the process, and its descendants can be found.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...program.user,
    })
    child.on('error', () => {}) // A signal that could not be sent; a failed start rejects below.
    const { pid, stdout, stderr } = child
    if (pid !== undefined) this.#record(containerId, { pid, startMark: startMarkOf(pid) ?? '', graceMs })
    await once(child, 'spawn') // Rejects with the error of the event 'error'.
    if (pid === undefined || stdout === null || stderr === null) throw new Error(`${program.command} has no process`)
    const kill = () => killSession(pid)
    const exit = this.#exitOf(child, pid).finally(() => this.#forget(containerId))
    return { pid, stdout, stderr, exit, terminate: () => void child.kill('SIGTERM'), kill }
  }

  /**
   * Ends processes that an earlier run of this node left: with SIGTERM and the grace period of each, then with SIGKILL.
   */
  async endOrphans(signal: AbortSignal): Promise<void> {
    await Promise.all(
      readdirSync(this.#options.folder).map(async (name) => {
        const record = this.#read(name)
        if (record !== undefined) await this.#endOrphan(record, signal)
        rmSync(join(this.#options.folder, name), { force: true })
      }),
    )
  }

  async #endOrphan({ pid, startMark, graceMs }: ProcessRecord, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    const mark = startMarkOf(pid)
    // Another process has the PID now, so no process of ours is left in that session.
    if (mark !== undefined && mark !== startMark) return
    if (mark !== undefined) {
      log.info({ pid }, 'a process of an earlier life of this node still runs and is ended')
      signalIfAlive(pid, 'SIGTERM')
      const untilMs = clock.monotonicMs() + Math.min(graceMs, longestOrphanGraceMs)
      while (startMarkOf(pid) === startMark && clock.monotonicMs() < untilMs) await sleep(clock, orphanPollMs, signal)
    }
    killSession(pid)
  }

  async #exitOf(child: ChildProcess, pid: number): Promise<number> {
    const closed = once(child, 'close')
    const [code, signal] = await once(child, 'exit')
    killSession(pid)
    const limit = new AbortController()
    const tooLong = sleep(this.#options.clock, outputLimitMs, limit.signal).catch(() => undefined)
    await Promise.race([closed, tooLong])
    limit.abort()
    child.stdout?.destroy()
    child.stderr?.destroy()
    if (typeof code === 'number') return code
    // Sound: Node returns a code or the name of a signal.
    return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
  }

  #record(containerId: string, record: ProcessRecord): void {
    writeFileSync(this.#fileOf(containerId), JSON.stringify(record), { mode: privateFileMode })
  }

  #forget(containerId: string): void {
    rmSync(this.#fileOf(containerId), { force: true })
  }

  #fileOf(containerId: string): string {
    return join(this.#options.folder, `${containerId}.json`)
  }

  #read(name: string): ProcessRecord | undefined {
    try {
      const record: unknown = JSON.parse(readFileSync(join(this.#options.folder, name), 'utf8'))
      if (isJsonObject(record) && typeof record.pid === 'number' && record.pid > 1) {
        return { pid: record.pid, startMark: String(record.startMark), graceMs: Number(record.graceMs ?? 0) }
      }
    } catch (thrown) {
      this.#options.log.warn(
        { name, error: messageOf(thrown) },
        'the record of a process cannot be read and is dropped',
      )
    }
    return undefined
  }
}

function killSession(leader: number): void {
  signalIfAlive(-leader, 'SIGKILL')
  // Members of the session with process groups of their own.
  for (const pid of sessionOf(leader)) signalIfAlive(pid, 'SIGKILL')
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended, as intended.
  }
}
