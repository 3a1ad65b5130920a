// `konverge dev --control-plane real`: the real control plane with nodes from kwok, and the operator in a separate
// process.
import { dirname } from 'node:path'
import type { DatabaseStage, StageAsk } from '../../src/cli/dev/stage.ts'
import { startControlPlane } from './control-plane.ts'
import { OperatorChild } from './operator-child.ts'

const nodes = 5

export async function startRealStage({ environment, signal }: StageAsk): Promise<DatabaseStage> {
  const controlPlane = await startControlPlane({ kwok: { nodes }, environment, signal })
  const { connection } = controlPlane
  return {
    title: `Kubernetes runs, with ${nodes} nodes that kwok plays`,
    kubeconfigPath: connection.kubeconfigPath,
    kubectlFolder: dirname(connection.kubectlPath),
    groundwork: [],
    isFresh: true,
    databases: { kind: 'simulated' },
    startOperator: () => {
      const operator = new OperatorChild(connection)
      operator.start()
      return operator
    },
    throwIfEnded: () => {},
    stop: () => controlPlane.stop(),
  }
}
