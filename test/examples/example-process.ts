// Process of an example, with a kubeconfig. The test stops every process that it started, also after a failure.
import { type ChildProcess, spawn } from 'node:child_process'
import { usualLimitMs } from '../control-plane/wait-until.ts'

const folder = new URL('../../examples/', import.meta.url).pathname

export interface ExampleOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

export class ExampleProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<number | null>
  output = ''

  /** `path` below examples/. Its HTTP server uses any free port. */
  constructor(path: string, kubeconfig: string, { environment = {}, args = [] }: ExampleOptions = {}) {
    const env = { ...process.env, KUBECONFIG: kubeconfig, PORT: '0', ...environment }
    this.#child = spawn(process.execPath, [`${folder}${path}`, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#exited = new Promise((resolve) => this.#child.once('exit', (code) => resolve(code)))
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
    }
  }

  /** Ends it like a machine failure. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** Requests its end, and kills it if it does not end; returns its exit code. */
  async stop(): Promise<number | null> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), usualLimitMs)
    this.#child.kill('SIGTERM')
    const code = await this.#exited
    clearTimeout(timer)
    return code
  }
}
