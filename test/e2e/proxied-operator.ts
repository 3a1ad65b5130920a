// An operator whose way to the API server leads through a fault proxy, confined to one namespace, so that several can live on
// one control plane. It may die and be born again; the proxy, with its faults and its record, stays.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { FaultProxy } from '../fault-lab/fault-proxy.ts'
import { operatorAccount } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'

export class ProxiedOperator {
  readonly proxy: FaultProxy
  readonly #args: readonly string[]
  readonly #kubeconfig: string
  #process: OperatorProcess | undefined

  private constructor(proxy: FaultProxy, kubeconfig: string, args: readonly string[]) {
    this.proxy = proxy
    this.#kubeconfig = kubeconfig
    this.#args = args
  }

  /** Not yet running. */
  static async create(
    cluster: ControlPlaneClient,
    namespace: string,
    ...args: readonly string[]
  ): Promise<ProxiedOperator> {
    const proxy = await FaultProxy.start({ url: cluster.url, ca: await readFile(cluster.caFile, 'utf8') })
    const path = join(cluster.folder, `proxy-${namespace}.kubeconfig`)
    const { token } = await operatorAccount(cluster)
    const kubeconfig = await proxy.writeKubeconfig(path, token)
    return new ProxiedOperator(proxy, kubeconfig, ['--namespaces', namespace, ...args])
  }

  /** A new life. */
  start(): OperatorProcess {
    this.#process = new OperatorProcess(this.#kubeconfig, this.#args)
    return this.#process
  }

  get process(): OperatorProcess {
    if (this.#process === undefined) throw new Error('the operator has not been started')
    return this.#process
  }

  /** Ends the life with -9. What it had under way is lost, and the next life finds the line up. */
  async kill(): Promise<void> {
    await this.#process?.stop('SIGKILL')
    this.proxy.line = 'up'
  }

  async stop(): Promise<void> {
    await this.#process?.stop('SIGKILL')
    await this.proxy.stop()
  }

  /** Waits until a turn has found nothing to do, which the first turn after a start tells best. */
  async atRest(): Promise<void> {
    const settled = () => this.process.metric('reconciliation_duration_seconds_count', 'outcome="settled"')
    await this.process.until('a settled turn', async () => (await settled()) > 0)
  }

  /** Waits until something is so while the operator runs. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
    await waitUntil({ what, limitMs, everyMs: 20, giveUp: () => this.process.throwIfEnded() }, async () => await isSo())
  }
}
