// Running program: a process from source, its output so far, and its exit.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ApiAnswer, ApiRequest } from '../control-plane/api-request.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { askBy } from './ask-by.ts'
import { noHome } from './konverge.ts'

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
/** Limit far above the time of a start, also on a busy machine. */
const limitMs = 240_000

export class RunningKonverge {
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}, path = program) {
    this.#child = spawn(process.execPath, [path, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: noHome, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString()
    })
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
  }

  async says(text: string): Promise<void> {
    const giveUp = () => {
      if (this.#child.exitCode !== null) throw new Error(`It has ended: ${this.stdout}${this.stderr}`)
    }
    await waitUntil({ what: `"${text}"`, limitMs, giveUp }, async () => this.stdout.includes(text))
  }

  /** Path of the kubeconfig in its output. */
  get kubeconfigPath(): string {
    const [, path] = /KUBECONFIG=(\S+)/.exec(this.stdout) ?? []
    if (path === undefined) throw new Error(`It has named no kubeconfig: ${this.stdout}`)
    return path
  }

  /** Sends one request with the kubeconfig's address, authority and token. */
  ask(ask: ApiRequest): Promise<ApiAnswer> {
    return askBy(this.kubeconfigPath, ask)
  }

  /** Closes the output, as a pager does at its end. */
  closeOutput(): void {
    this.#child.stdout?.destroy()
  }

  /** Returns the exit code, or the signal that ended the process. */
  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode
    const closed = once(this.#child, 'close', { signal: AbortSignal.timeout(limitMs) })
    if (signal !== undefined) this.#child.kill(signal)
    const [code, by] = (await closed) as [number | null, string | null] // Sound: documented for this event.
    return code ?? by
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
