// Loader of clients for the other clusters of an operator, by their kubeconfigs. Invariant: every write to them passes
// the fence of the Lease in the operator's own cluster.
import { CodedError, messageOf } from '../base/errors.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Fence } from '../kube/fence.ts'
import { FencedClient } from '../kube/fenced-client.ts'
import { type LoadConnectionOptions, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient, type RestClientOptions } from '../kube/rest-client.ts'

/** Connection to another cluster. */
export interface ClusterConnection {
  /** Path of a kubeconfig file, for example in a mounted Secret. Credentials in files are reloaded when they change. */
  readonly kubeconfig: string
  /** Context of the kubeconfig; absent: its current context. */
  readonly context?: string | undefined
}

export interface ClusterClients {
  readonly clients: Readonly<Record<string, KubeClient>>
  close(signal: AbortSignal): Promise<unknown>
}

/** A DNS label, because the name appears in health checks, metrics and messages. */
const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/**
 * Returns the clients and sends no request. Rejects with a CodedError `ClusterConnection` that names the faulty
 * connection.
 */
export async function loadClusterClients(
  clusters: Readonly<Record<string, ClusterConnection>>,
  {
    environment,
    ...http
  }: Omit<RestClientOptions, 'connection' | 'fence'> &
    Pick<LoadConnectionOptions, 'environment'> & { readonly fence: Fence | undefined },
  signal: AbortSignal,
): Promise<ClusterClients> {
  const { clock, fence } = http
  const opened: [string, RestClient][] = []
  for (const [name, { kubeconfig, context }] of Object.entries(clusters)) {
    try {
      if (!namePattern.test(name)) throw new Error('its name is no DNS label')
      const source = { kind: 'files', paths: [kubeconfig] } as const
      const connection = await loadConnection({ clock, source, environment, context }, signal)
      opened.push([name, new RestClient({ ...http, connection })])
    } catch (thrown) {
      signal.throwIfAborted()
      const message = `cannot connect to cluster ${name}: ${messageOf(thrown)}`
      throw new CodedError({ code: 'ClusterConnection', message, remedy: 'stop', cause: thrown })
    }
  }
  const fenced = ([name, client]: (typeof opened)[number]) =>
    [name, fence === undefined ? client : new FencedClient({ client, fence })] as const
  return {
    clients: Object.fromEntries(opened.map(fenced)),
    close: (signal) => Promise.all(opened.map(([, client]) => client.close(signal))),
  }
}
