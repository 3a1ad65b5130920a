// `npm run control-plane`: a real control plane in the foreground, for use with kubectl. Ctrl-C ends it and removes
// everything.
import { dirname } from 'node:path'
import { startControlPlane } from './control-plane.ts'

const nodes = 5
const controlPlane = await startControlPlane({ kwok: { nodes }, auditLog: true })
const { kubeconfigPath, kubectlPath, auditLogPath, url } = controlPlane

process.stdout.write(`Kubernetes is ready at ${url}, with ${nodes} nodes on which every pod is ready at once.
In another terminal:

  export KUBECONFIG=${kubeconfigPath}
  export PATH=${dirname(kubectlPath)}:$PATH
  kubectl get nodes

An image with "missing" in its tag, such as kv:missing, cannot be pulled. Each request is a line in ${auditLogPath}.
Ctrl-C stops it.
`)
