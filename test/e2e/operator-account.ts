// Who is the operator to the API server? The service account that `konverge install` makes, with exactly the rights that it
// prints, so that every test of the operator is a test of its roles too.
import { konverge } from '../cli/konverge.ts'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { manifestsIn } from './rights.ts'

/** Where `konverge install` puts the operator. */
export const operatorNamespace = 'konverge-system'

/** Neither CRDs nor a Deployment: only the account and its rights. */
const kindsOfAccount = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/

/** What `konverge install --dry-run` prints. */
export async function printedManifests(): Promise<string> {
  const { exitCode, stdout, stderr } = await konverge(['install', '--dry-run'])
  if (exitCode !== 0 || stderr !== '') throw new Error(`konverge install ended with ${exitCode}: ${stderr}`)
  return stdout
}

/** Makes the account, if it is not there yet, and a kubeconfig for one day; returns the path of that. */
export async function operatorKubeconfig(cluster: ControlPlaneClient): Promise<string> {
  const manifests = manifestsIn(await printedManifests()).filter(({ kind }) => kindsOfAccount.test(kind))
  await cluster.apply(...manifests)
  // The API server learns of new roles by a watch of its own.
  await waitUntil({ what: 'the rights of the operator', limitMs: 30_000, everyMs: 200 }, async () => {
    const asOperator = ['--all-namespaces', `--as=${accountIn(operatorNamespace)}`]
    return (await cluster.kubectl('auth', 'can-i', 'watch', 'pods', ...asOperator)).exitCode === 0
  })
  const account = { namespace: operatorNamespace, name: 'konverge' }
  return (await cluster.serviceAccountKubeconfig(account)).kubeconfigPath
}

/** The requests of the operator of a namespace, those that were refused included. */
export async function requestsOf(cluster: ControlPlaneClient, namespace: string): Promise<readonly AuditEvent[]> {
  return (await cluster.auditEvents()).filter(({ user }) => user.username === accountIn(namespace))
}

/** The requests that the operator had no right to make. */
export async function refusalsOf(cluster: ControlPlaneClient, namespace: string): Promise<readonly string[]> {
  const refused = (await requestsOf(cluster, namespace)).filter(({ responseStatus }) => responseStatus?.code === 403)
  return refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)
}

function accountIn(namespace: string): string {
  return `system:serviceaccount:${namespace}:konverge`
}
