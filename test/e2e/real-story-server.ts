// A story's server that is the real control plane: kubectl, the operator in a process of its own, and the audit log as the witness.
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { KubectlObjects } from './kubectl-objects.ts'
import { operatorKubeconfig, operatorNamespace, refusalsOf } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { installDefinitions, operatorWrites } from './stores.ts'
import type { OperatorWrite, StoryOperator, StoryServer } from './story-server.ts'

export class RealStoryServer extends KubectlObjects implements StoryServer {
  readonly #cluster: ControlPlaneClient
  readonly #kubeconfig: string

  private constructor(cluster: ControlPlaneClient, kubeconfig: string) {
    super(cluster)
    this.#cluster = cluster
    this.#kubeconfig = kubeconfig
  }

  static async start(cluster: ControlPlaneClient): Promise<RealStoryServer> {
    await installDefinitions(cluster)
    return new RealStoryServer(cluster, await operatorKubeconfig(cluster))
  }

  startOperator(namespace: string): Promise<StoryOperator> {
    const args = ['--namespaces', namespace, '--backoff', '1-1000']
    return new OperatorProcess(this.#kubeconfig, args).ready()
  }

  async operatorWrites(wanted: string): Promise<readonly OperatorWrite[]> {
    const writes = operatorWrites(await this.#cluster.auditEvents()).map(({ verb, objectRef = {} }) => {
      const { namespace = '', resource = '', subresource = '', name = '' } = objectRef
      return { verb, namespace, resource, subresource, name }
    })
    return writes.filter(({ namespace }) => namespace === wanted)
  }

  refusals(): Promise<readonly string[]> {
    return refusalsOf(this.#cluster, operatorNamespace)
  }

  /** The control plane is not ours to stop. */
  async stop(): Promise<void> {}
}
