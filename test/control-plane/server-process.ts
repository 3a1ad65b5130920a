// A program as a child process. It has its own process group, so Ctrl-C in the terminal reaches only the parent, which
// stops programs in
// order. Its standard input is the lifeline: when the parent ends for any reason, the program reads end of file and
// ends too.
// dieWithParent in kubernetes/main.go and kwok/main.go does so; programs from KUBEBUILDER_ASSETS lack it.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ServerProcessOptions {
  readonly name: string
  readonly path: string
  readonly flags: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly logFile: string
}

export class ServerProcess {
  readonly #options: ServerProcessOptions
  #child: ChildProcess | undefined

  constructor(options: ServerProcessOptions) {
    this.#options = options
  }

  /** Process id while the program runs. */
  get pid(): number | undefined {
    return this.#isRunning() ? this.#child?.pid : undefined
  }

  start(): void {
    const { path, flags, environment, logFile } = this.#options
    const log = openSync(logFile, 'a')
    try {
      const child = spawn(path, flags, { stdio: ['pipe', log, log], env: environment, detached: true })
      // A program that failed to start has no exit code; throwIfEnded reports it. The lifeline carries no data.
      child.on('error', () => undefined)
      child.stdin?.on('error', () => undefined)
      this.#child = child
    } finally {
      closeSync(log)
    }
  }

  /** End of the program, such as `exit code 1`; undefined before its start and while it runs. */
  get ending(): string | undefined {
    const child = this.#child
    if (child === undefined || this.#isRunning()) return undefined
    if (child.pid === undefined) return 'it could not be started'
    return child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`
  }

  /** Throws with the last log lines of the program if it was started and does not run. */
  throwIfEnded(): void {
    if (this.ending === undefined) return
    const lastLines = readFileSync(this.#options.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
    throw new Error(`${this.#options.name} ended by itself (${this.ending}). Its last words:\n${lastLines}`)
  }

  /** Asks the program to end, and kills it after the limit. */
  async stop(limitMs: number): Promise<void> {
    const child = this.#child
    if (child === undefined || !this.#isRunning()) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = new AbortController()
    await Promise.race([ended, sleep(limitMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)])
    timer.abort()
    this.kill()
    await ended
  }

  kill(): void {
    if (this.#isRunning()) this.#child?.kill('SIGKILL')
  }

  #isRunning(): boolean {
    const child = this.#child
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null
  }
}
