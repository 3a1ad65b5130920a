// What can a person try once the stores are Ready? The text that follows the table of `npm start`. Pure.
import { dirname } from 'node:path'

export interface Sights {
  readonly connection: { readonly kubeconfigPath: string; readonly kubectlPath: string }
  readonly metricsUrl: string
  readonly operatorLog: string
}

export function lookAround({ connection, metricsUrl, operatorLog }: Sights): string {
  return `
In another terminal:

  export KUBECONFIG=${connection.kubeconfigPath}
  export PATH=${dirname(connection.kubectlPath)}:$PATH

  Look     kubectl get kv -A
           kubectl -n shop describe kv cart
           kubectl -n shop get statefulset,service,pdb,pod,pvc
  Scale    kubectl -n shop scale kv cart --replicas=5
  Meddle   kubectl -n shop scale statefulset cart --replicas=1
           kubectl -n shop get statefulset cart
  Break    kubectl -n shop patch kv cart --type=merge -p '{"spec":{"image":"kv:missing"}}'
  Mend     kubectl -n shop patch kv cart --type=merge -p '{"spec":{"image":"valkey/valkey:8.0"}}'
           kubectl -n shop delete pod --field-selector=status.phase=Pending
  Delete   kubectl -n shop delete kv cart && kubectl -n shop get pvc

  Metrics  ${metricsUrl}
  Log      ${operatorLog}

Ctrl-C ends everything and leaves nothing behind. What changes until then:
`
}
