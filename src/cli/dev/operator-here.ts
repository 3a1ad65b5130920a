// Operator beside the embedded control plane: runs in this process as `run` would, and logs to a file. No second
// process can remain.
import { closeSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { messageOf } from '../../base/errors.ts'
import { type Controller, startOperator } from '../../index.ts'
import { CommandError } from '../command-error.ts'
import { openPrivate } from '../private-file.ts'
import type { OperatorSettings } from '../program.ts'
import { lastErrorOf, metricsUrlOf } from './operator-log.ts'
import type { RunningOperator } from './stage.ts'

export interface OperatorHereOptions {
  readonly name: string
  readonly userAgent: string
  readonly controllers: readonly Controller[]
  /**
   * Settings of the program. Sharding, namespaces, selector, leader election, log and addresses have no effect here.
   * Default: none.
   */
  readonly settings?: OperatorSettings | undefined
  readonly kubeconfig: string
  readonly logFile: string
}

export class OperatorHere implements RunningOperator {
  readonly logFile: string
  readonly #file: number
  readonly #stop = new AbortController()
  readonly #run: Promise<void>
  /** Reason of its end; undefined while the operator runs. */
  #ending: string | undefined

  /** Starts the operator immediately. */
  constructor({ logFile, settings = {}, ...operator }: OperatorHereOptions) {
    this.logFile = logFile
    const file = openPrivate(logFile, 'w')
    this.#file = file
    const { onStarted } = settings
    const run = startOperator(
      {
        ...settingsHere(settings),
        ...operator,
        environment: {},
        output: { write: (text) => writeSync(file, text) },
        http: { host: '127.0.0.1', port: 0 },
      },
      this.#stop.signal,
    ).then((started) => {
      onStarted?.(started)
      return started.done
    })
    this.#run = run.then(
      () => this.#end('without an error'),
      (thrown: unknown) => this.#end(messageOf(thrown)),
    )
  }

  async metricsUrl(): Promise<string | undefined> {
    return metricsUrlOf(await readFile(this.logFile, 'utf8'))
  }

  async throwIfEnded(): Promise<void> {
    if (this.#ending === undefined) return
    const error = lastErrorOf(await readFile(this.logFile, 'utf8')) ?? 'none in its log'
    throw new CommandError(`The operator ended by itself (${this.#ending}); its last error: ${error}`, 1)
  }

  async stop(): Promise<void> {
    this.#stop.abort(new DOMException('konverge dev ends', 'AbortError'))
    await this.#run
    closeSync(this.#file)
  }

  #end(ending: string): void {
    this.#ending = ending
  }
}

/**
 * Removes the settings that divide resources among processes, and those of log and addresses: this process reconciles
 * the whole cluster.
 */
function settingsHere(settings: OperatorSettings): OperatorSettings {
  const { sharding, namespaces, labelSelector, leaderElection, http, metrics, log, rights, onStarted, ...here } =
    settings
  return here
}
