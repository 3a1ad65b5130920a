// Who is the operator to the API server? The service account that `konverge install` makes, with exactly the rights that it
// prints, so that every test of the operator is a test of its roles too.
import { konverge } from '../cli/konverge.ts'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import type { ControlPlaneClient, ServiceAccountAccess } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { kindsOfAccount, manifestsIn, operatorNamespace } from './rights.ts'

/** What `konverge install --dry-run` prints. */
export async function printedManifests(namespace = operatorNamespace): Promise<string> {
  const { exitCode, stdout, stderr } = await konverge([
    'install',
    '--dry-run',
    '--all-namespaces',
    '--namespace',
    namespace,
  ])
  if (exitCode !== 0 || stderr !== '') throw new Error(`konverge install ended with ${exitCode}: ${stderr}`)
  return stdout
}

const accounts = new WeakMap<ControlPlaneClient, Map<string, Promise<ServiceAccountAccess>>>()

/** The account, made when it is first asked for, and a kubeconfig for one day. Its lease is in the same namespace. */
export function operatorAccount(
  cluster: ControlPlaneClient,
  namespace = operatorNamespace,
): Promise<ServiceAccountAccess> {
  const known = accounts.get(cluster) ?? new Map<string, Promise<ServiceAccountAccess>>()
  accounts.set(cluster, known)
  const account = known.get(namespace) ?? makeAccount(cluster, namespace)
  known.set(namespace, account)
  return account
}

async function makeAccount(cluster: ControlPlaneClient, namespace: string): Promise<ServiceAccountAccess> {
  const manifests = manifestsIn(await printedManifests(namespace)).filter(({ kind }) => kindsOfAccount.test(kind))
  await cluster.apply(...manifests)
  // The API server learns of new roles by a watch of its own.
  await waitUntil({ what: 'the rights of the operator', everyMs: 200 }, async () => {
    const asOperator = ['--all-namespaces', `--as=${accountIn(namespace)}`]
    return (await cluster.kubectl('auth', 'can-i', 'watch', 'pods', ...asOperator)).exitCode === 0
  })
  return await cluster.serviceAccountKubeconfig({ namespace, name: 'konverge' })
}

/** The path of the account's kubeconfig. */
export async function operatorKubeconfig(cluster: ControlPlaneClient): Promise<string> {
  return (await operatorAccount(cluster)).kubeconfigPath
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
