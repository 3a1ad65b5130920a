// Hints for the samples of konverge's own operator. Pure.

export interface Samples {
  /** The sample ReplicatedKVStore `shop/cart` exists. */
  readonly hasStore: boolean
  /** Address of the sample database on this machine; absent: there is none. */
  readonly databaseAddress?: string | undefined
}

/** Returns lines, each with its line feed; empty without samples. */
export function databaseHints({ hasStore, databaseAddress }: Samples): string {
  return `${hasStore ? storeHints : ''}${databaseAddress === undefined ? '' : logIn(databaseAddress)}`
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

/**
 * The Secret's URI names the Service, for programs in the cluster. `hostaddr` at the end of the URI overrides the
 * address.
 */
function logIn(address: string): string {
  return `
  Log in   psql "$(kubectl -n shop get secret orders-app-db -o jsonpath='{.data.uri}' | base64 -d)&hostaddr=${address}&sslmode=require"
           Without psql: any client of PostgreSQL, ${address}:5432 with TLS, and user, password and database of that Secret
`
}
