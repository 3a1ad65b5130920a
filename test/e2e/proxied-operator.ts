// Operator in its own process that reaches the API server through a fault proxy, so that several can share one control
// plane. It can be killed and started again; the proxy keeps its faults and its record.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { FaultProxy } from '../fault-lab/fault-proxy.ts'
import { type LogLine, OperatorProcess } from './operator-process.ts'
import type { MortalOperator, OperatorAsk, OperatorEnd } from './story-server.ts'

export class ProxiedOperator implements MortalOperator {
  readonly way: FaultProxy
  readonly #args: readonly string[]
  readonly #kubeconfig: string
  #process: OperatorProcess | undefined

  private constructor(way: FaultProxy, kubeconfig: string, args: readonly string[]) {
    this.way = way
    this.#kubeconfig = kubeconfig
    this.#args = args
  }

  /** Creates the operator without starting it. `token` is the operator's own. */
  static async create(cluster: ControlPlaneClient, token: string, ask: OperatorAsk): Promise<ProxiedOperator> {
    const way = await FaultProxy.start({ url: cluster.url, ca: await readFile(cluster.caFile, 'utf8') })
    const path = join(cluster.folder, `proxy-${randomUUID()}.kubeconfig`)
    return new ProxiedOperator(way, await way.writeKubeconfig(path, token), argumentsFor(ask))
  }

  /** Starts a new process. */
  start(): this {
    this.#process = new OperatorProcess(this.#kubeconfig, this.#args)
    return this
  }

  async ready(limitMs?: number): Promise<this> {
    await this.#living.ready(limitMs)
    return this
  }

  get lines(): readonly LogLine[] {
    return this.#living.lines
  }

  get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    return this.#living.get(path)
  }

  metric(name: string, labels?: string): Promise<number> {
    return this.#living.metric(name, labels)
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
    await waitUntil({ what, limitMs, everyMs: 20, giveUp: () => this.throwIfEnded() }, async () => await isSo())
  }

  throwIfEnded(): void {
    this.#living.throwIfEnded()
  }

  async exit(): Promise<OperatorEnd> {
    const { code } = await this.#living.exit()
    return { code, message: this.#living.stderr }
  }

  async kill(): Promise<void> {
    await this.#process?.stop('SIGKILL')
    this.way.line = 'up'
  }

  sleep(): void {
    this.#living.send('SIGSTOP')
  }

  wake(): void {
    this.#living.send('SIGCONT')
  }

  /** Stops the process, gracefully if possible, and then the proxy. */
  async stop(): Promise<OperatorEnd> {
    this.#process?.send('SIGCONT')
    const end = await this.#process?.stop()
    await this.way.stop()
    return { code: end?.code ?? null, message: this.#process?.stderr ?? '' }
  }

  get #living(): OperatorProcess {
    if (this.#process === undefined) throw new Error('the operator has not been started')
    return this.#process
  }
}

/** Returns the arguments of the command line. */
export function argumentsFor({ namespaces = [], backoff, election }: OperatorAsk): readonly string[] {
  const text = (ms: number) => `${ms}ms`
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}`, value])
  const time = (name: string, ms: number | undefined) => flag(name, ms === undefined ? undefined : text(ms))
  return [
    ...flag('namespaces', namespaces.length === 0 ? undefined : namespaces.join(',')),
    ...flag('backoff', backoff && `${text(backoff.baseMs)}-${text(backoff.capMs)}`),
    ...(election === undefined ? [] : ['--leader-elect']),
    ...flag('lease-namespace', election?.leaseNamespace),
    ...time('lease-duration', election?.leaseDurationMs),
    ...time('renew-deadline', election?.renewDeadlineMs),
    ...time('retry-period', election?.retryPeriodMs),
  ]
}
