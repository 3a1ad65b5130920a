// The operator as a child process of a control plane: the built `konverge run`. It always ends with this process: by
// `stop`, by the exit
// handler, or by the lifeline if this process is killed.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { lastErrorOf, metricsUrlOf } from '../../src/cli/dev/operator-log.ts'
import type { RunningOperator } from '../../src/cli/dev/stage.ts'
import type { ControlPlaneConnection } from './control-plane-client.ts'
import { ServerProcess } from './server-process.ts'

const program = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli', 'main.js')
const lifeLine = pathToFileURL(join(import.meta.dirname, 'life-line.ts')).href
const stopLimitMs = 5_000

export class OperatorChild implements RunningOperator {
  /** In the folder of the control plane, and removed with it. */
  readonly logFile: string
  readonly #process: ServerProcess

  constructor({ folder, kubeconfigPath }: ControlPlaneConnection) {
    this.logFile = join(folder, 'operator.log')
    const http = ['--http-host', '127.0.0.1', '--http-port', '0']
    this.#process = new ServerProcess({
      name: 'The operator',
      path: process.execPath,
      flags: ['--import', lifeLine, program, 'run', '--kubeconfig', kubeconfigPath, ...http],
      environment: { HOME: folder },
      logFile: this.logFile,
    })
  }

  start(): void {
    process.once('exit', this.#kill)
    this.#process.start()
  }

  async stop(): Promise<void> {
    await this.#process.stop(stopLimitMs)
    process.off('exit', this.#kill)
  }

  /** Throws one sentence with the last error of its log if the operator has ended. */
  async throwIfEnded(): Promise<void> {
    const { ending } = this.#process
    if (ending === undefined) return
    const error = lastErrorOf(await this.#log()) ?? 'none in its log'
    throw new Error(`The operator ended by itself (${ending}); its last error: ${error}`)
  }

  /** Undefined until it serves metrics. */
  async metricsUrl(): Promise<string | undefined> {
    return metricsUrlOf(await this.#log())
  }

  #log(): Promise<string> {
    return readFile(this.logFile, 'utf8')
  }

  readonly #kill = () => this.#process.kill()
}
