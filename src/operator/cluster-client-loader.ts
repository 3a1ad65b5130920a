// Connects to the other clusters of an operator by their kubeconfigs. Invariant: a write to any of them passes the fence of the lease that is in the
// operator's own cluster.
import { CodedError, messageOf } from '../base/errors.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Fence } from '../kube/fence.ts'
import { FencedClient } from '../kube/fenced-client.ts'
import { type LoadConnectionOptions, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient, type RestClientOptions } from '../kube/rest-client.ts'

/** How another cluster is reached. */
export interface ClusterConnection {
  /** A kubeconfig file, such as one that a Secret in a volume holds. Credentials in files are read again when they change. */
  readonly kubeconfig: string
  /** A context of the kubeconfig; absent: its current one. */
  readonly context?: string | undefined
}

export interface ClusterClients {
  readonly clients: Readonly<Record<string, KubeClient>>
  close(signal: AbortSignal): Promise<unknown>
}

/** A DNS label: the name is in health checks, metrics and messages. */
const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** Rejects with a CodedError `ClusterConnection` that names the connection at fault. No request is sent yet. */
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
