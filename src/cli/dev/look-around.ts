// What can a person try once the samples are Ready? The text that follows the table of `konverge dev`. Pure.

export interface Sights {
  /** The sample ReplicatedKVStore `shop/cart` exists. */
  readonly hasStore: boolean
  readonly kubeconfigPath: string
  /** The folder of a kubectl to use; absent: whichever the person has. */
  readonly kubectlFolder?: string | undefined
  /** At which address of this machine the sample database is reached; absent: at none. */
  readonly databaseAddress?: string | undefined
  readonly metricsUrl: string
  readonly operatorLog: string
  /** What stays at the end; absent: nothing. */
  readonly keptFolder?: string | undefined
}

export function lookAround(sights: Sights): string {
  const { hasStore, kubeconfigPath, kubectlFolder, databaseAddress, metricsUrl, operatorLog, keptFolder } = sights
  const path = kubectlFolder === undefined ? '' : `\n  export PATH=${kubectlFolder}:$PATH`
  const rest = keptFolder === undefined ? 'leaves nothing behind' : `keeps all that was written in ${keptFolder}`
  return `
In another terminal:

  export KUBECONFIG=${kubeconfigPath}${path}

  Look     kubectl get kv,db,dbu,mig,bak -A
${hasStore ? storeHints : ''}${databaseAddress === undefined ? '' : logIn(databaseAddress)}
  Metrics  ${metricsUrl}
  Log      ${operatorLog}

Ctrl-C ends everything and ${rest}. What changes until then:
`
}

const storeHints = `           kubectl -n shop describe kv cart
           kubectl -n shop get statefulset,service,pdb,pod,pvc
  Scale    kubectl -n shop scale kv cart --replicas=5
  Meddle   kubectl -n shop scale statefulset cart --replicas=1
           kubectl -n shop get statefulset cart
  Break    kubectl -n shop patch kv cart --type=merge -p '{"spec":{"image":"kv:missing"}}'
  Mend     kubectl -n shop patch kv cart --type=merge -p '{"spec":{"image":"valkey/valkey:8.0"}}'
  Delete   kubectl -n shop delete kv cart && kubectl -n shop get pvc
`

/** The Secret's URI names the Service, as programs in the cluster reach it; what comes last in a URI counts. */
function logIn(address: string): string {
  return `
  Log in   psql "$(kubectl -n shop get secret orders-app-db -o jsonpath='{.data.uri}' | base64 -d)&hostaddr=${address}&sslmode=require"
           Without psql: any client of PostgreSQL, ${address}:5432 with TLS, and user, password and database of that Secret
`
}
