// An operator with controllers of a test's own, in this process: started as every operator built on konverge starts. What a
// test starts here it stops, also when it fails.
import { type Controller, runOperator } from '../../src/index.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import type { LogLine } from './operator-process.ts'

export interface OperatorHereOptions {
  readonly kubeconfig: string
  readonly controllers: readonly Controller[]
  readonly namespaces: readonly string[]
}

export class OperatorHere {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  readonly lines: LogLine[] = []

  constructor(options: OperatorHereOptions) {
    const output = { write: (text: string) => void this.lines.push(JSON.parse(text) as LogLine) }
    this.#ended = runOperator(
      {
        ...options,
        environment: {},
        output,
        userAgent: 'konverge/test',
        http: { host: '127.0.0.1', port: 0 },
        backoff: { baseMs: 500, capMs: 2_000 },
        logLevel: 'debug',
      },
      this.#stop.signal,
    )
    // Taken by stop(); a start that fails must not end the process before.
    this.#ended.catch(() => {})
  }

  /** Waits until every controller takes turns. */
  async ready(): Promise<this> {
    await this.#until('the operator to work', async () => this.lines.some(({ msg }) => msg === 'working'))
    return this
  }

  /** Turns of a resource that have ended since the start. */
  turnCount(name: string): number {
    return this.lines.filter((line) => line.msg === 'turn ended' && line['name'] === name).length
  }

  /** Waits until a resource has had this many turns since the start. */
  async turns(name: string, count: number): Promise<void> {
    await this.#until(`${count} turns of ${name}`, async () => this.turnCount(name) >= count)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const giveUp = () => {
      if (this.#stop.signal.aborted) throw new Error('the operator was stopped')
    }
    await waitUntil({ what, limitMs: 60_000, giveUp }, isSo)
  }
}
