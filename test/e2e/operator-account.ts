// Account of the operator: the ServiceAccount that `konverge install` creates, with exactly the printed rights. So
// every test of the operator also tests its roles.
import { konverge } from '../cli/konverge.ts'
import type { AuditEvent } from '../control-plane/audit-log.ts'
import type { ControlPlaneClient, ServiceAccountAccess } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { kindsOfAccount, manifestsIn, operatorNamespace } from './rights.ts'

/** Returns the output of `konverge install --dry-run`. */
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

/**
 * Creates the account on first use; returns its access with a kubeconfig for one day. Its Lease is in the same
 * namespace.
 */
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
  // The API server sees new roles by its own watch, so later.
  await waitUntil({ what: 'the rights of the operator', everyMs: 200 }, async () => {
    const asOperator = ['--all-namespaces', `--as=${accountIn(namespace)}`]
    return (await cluster.kubectl('auth', 'can-i', 'watch', 'pods', ...asOperator)).exitCode === 0
  })
  return await cluster.serviceAccountKubeconfig({ namespace, name: 'konverge' })
}

/** Returns the path of the account's kubeconfig. */
export async function operatorKubeconfig(cluster: ControlPlaneClient): Promise<string> {
  return (await operatorAccount(cluster)).kubeconfigPath
}

/** Returns the requests of the operator of a namespace, including rejected ones. */
export async function requestsOf(cluster: ControlPlaneClient, namespace: string): Promise<readonly AuditEvent[]> {
  return (await cluster.auditEvents()).filter(({ user }) => user.username === accountIn(namespace))
}

/** Returns the requests that the API server answered with 403. */
export async function refusalsOf(cluster: ControlPlaneClient, namespace: string): Promise<readonly string[]> {
  const refused = (await requestsOf(cluster, namespace)).filter(({ responseStatus }) => responseStatus?.code === 403)
  return refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)
}

function accountIn(namespace: string): string {
  return `system:serviceaccount:${namespace}:konverge`
}
