// How does a container's program run here? As a process in a session of its own, recorded in the data folder from its first
// moment, so that the node's next life can end it if this one is killed. A process that ends takes with it what it started.
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
  /** What its next life gives it to end in order. */
  readonly graceMs: number
}

/** A process that runs, or has ended. */
export interface LocalProcess {
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
  /** The exit code; 128 and the signal's number if a signal ended it. Resolves when its output has been read, too. */
  readonly exit: Promise<number>
  /** Asks the process itself to end. */
  terminate(): void
  /** Ends it and all that it started. */
  kill(): void
}

export interface ProcessRunnerOptions {
  readonly clock: Clock
  readonly log: Log
  /** Where processes are recorded. */
  readonly folder: string
}

interface ProcessRecord {
  readonly pid: number
  readonly startMark: string
  readonly graceMs: number
}

/** What output may take to arrive after the end of everything that could write it. */
const outputLimitMs = 1_000
const orphanPollMs = 50
const longestOrphanGraceMs = 30_000

export class ProcessRunner {
  readonly #options: ProcessRunnerOptions

  constructor(options: ProcessRunnerOptions) {
    this.#options = options
    mkdirSync(options.folder, { recursive: true, mode: privateMode })
  }

  /** Rejects, with nothing left running, if the program cannot be started. */
  async start({ containerId, program, graceMs }: ProcessStart): Promise<LocalProcess> {
    const child = spawn(program.command, program.args, {
      cwd: program.workingFolder,
      env: Object.fromEntries(program.environment),
      // A session of its own: signals of the terminal do not reach it, and all that it starts can be found.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...program.user,
    })
    child.on('error', () => {}) // A signal that could not be sent; a failed start rejects below.
    const { pid, stdout, stderr } = child
    if (pid !== undefined) this.#record(containerId, { pid, startMark: startMarkOf(pid) ?? '', graceMs })
    await once(child, 'spawn') // Rejects with what 'error' says.
    if (pid === undefined || stdout === null || stderr === null) throw new Error(`${program.command} has no process`)
    const kill = () => killSession(pid)
    const exit = this.#exitOf(child, pid).finally(() => this.#forget(containerId))
    return { pid, stdout, stderr, exit, terminate: () => void child.kill('SIGTERM'), kill }
  }

  /** Ends what an earlier life of this node left running: politely, within the grace of each, then for certain. */
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
    // Another process has the pid now; then none of ours is left in a session of that name.
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
    // Node gives a code or the name of a signal.
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
  // Members that made process groups of their own.
  for (const pid of sessionOf(leader)) signalIfAlive(pid, 'SIGKILL')
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended, which is what was wanted.
  }
}
