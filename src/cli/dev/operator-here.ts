// The operator beside the embedded control plane: in this process, as `run` would run it, with its log in a file. There is no second process to
// start, or to leave behind.
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
  /** Of the program. What divides resources among processes has no effect here, nor has where the operator logs and listens. Default: none. */
  readonly settings?: OperatorSettings | undefined
  readonly kubeconfig: string
  readonly logFile: string
}

export class OperatorHere implements RunningOperator {
  readonly logFile: string
  readonly #file: number
  readonly #stop = new AbortController()
  readonly #run: Promise<void>
  /** Why it ended; undefined while it runs. */
  #ending: string | undefined

  /** Starts at once. */
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

/** One process works all resources of a cluster of its own, beside what else the program does. */
function settingsHere(settings: OperatorSettings): OperatorSettings {
  const { sharding, namespaces, labelSelector, leaderElection, http, metrics, log, rights, onStarted, ...here } =
    settings
  return here
}
