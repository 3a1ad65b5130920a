// Client of the cluster that a command's options name. Invariant: the client is closed when the command ends, also
// after a failure.
import { deadline, systemClock } from '../base/clock.ts'
import { silentInstruments } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import type { Connection } from '../kube/connection.ts'
import { DiscreetClient } from '../kube/discreet-client.ts'
import { type ConnectionSource, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient } from '../kube/rest-client.ts'

/** Kubeconfig, context and environment that select the cluster and the user. */
export interface ClusterChoice {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

/** Program that sends the requests. */
export interface ClusterUser {
  readonly userAgent: string
}

const closeLimitMs = 500

/** Calls `use` with a client and closes the client afterwards. Errors of the client quote no values. */
export async function withClient<T>(
  { environment, kubeconfig, context, userAgent }: ClusterChoice & ClusterUser,
  use: (client: KubeClient, connection: Connection) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const clock = systemClock
  const source: ConnectionSource =
    kubeconfig === undefined ? { kind: 'default' } : { kind: 'files', paths: [kubeconfig] }
  const connection = await loadConnection({ clock, source, environment, context }, signal)
  const client = new RestClient({ connection, clock, instruments: silentInstruments, userAgent })
  try {
    return await use(new DiscreetClient(client), connection)
  } finally {
    const limit = deadline(clock, closeLimitMs, new AbortController().signal)
    await client.close(limit.signal)
    limit.clear()
  }
}
