// Operator in this process with controllers of a test, started like every operator built on konverge. The test that
// starts it stops it, also when the test fails.

import type { BackoffPolicy } from '../../src/base/backoff.ts'
import { type Controller, runOperator } from '../../src/index.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { type LogLine, metricIn, pageOf } from './operator-process.ts'
import type { StoryOperator } from './story-server.ts'

export interface OperatorHereOptions {
  /** Name of the operator. Default: `konverge`. */
  readonly name?: string
  readonly kubeconfig: string
  readonly controllers: readonly Controller[]
  readonly namespaces?: readonly string[]
  readonly userAgent?: string
  readonly backoff?: BackoffPolicy
}

export class OperatorHere implements StoryOperator {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  readonly lines: LogLine[] = []

  constructor(options: OperatorHereOptions) {
    const output = { write: (text: string) => void this.lines.push(JSON.parse(text) as LogLine) }
    this.#ended = runOperator(
      {
        name: 'konverge',
        userAgent: 'konverge/test',
        backoff: { baseMs: 500, capMs: 2_000 },
        ...options,
        environment: {},
        output,
        http: { host: '127.0.0.1', port: 0 },
        logLevel: 'debug',
      },
      this.#stop.signal,
    )
    // `stop()` awaits this promise; a failed start must not end the test process before.
    this.#ended.catch(() => {})
  }

  /** Waits until every controller reconciles. */
  async ready(): Promise<this> {
    await this.#until('the operator to work', async () => this.lines.some(({ msg }) => msg === 'working'))
    return this
  }

  async metric(name: string, labels = ''): Promise<number> {
    return metricIn((await this.get('/metrics')).text, name, labels)
  }

  get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    return pageOf(this.lines, path)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const giveUp = () => {
      if (this.#stop.signal.aborted) throw new Error('the operator was stopped')
    }
    await waitUntil({ what, giveUp }, isSo)
  }
}
