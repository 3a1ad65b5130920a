// Protocol of credential plugins: the client describes the cluster in an environment variable, the plugin answers with
// one ExecCredential. Invariant: messages never quote the answer, because it is a secret (I11). Source:
// client.authentication.k8s.io/v1.
import { isJsonObject, type JsonObject } from '../base/json.ts'
import type { Credentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'
import type { ClusterEntry, PluginEntry } from './kube-config.ts'

export interface IssuedCredentials {
  readonly credentials: Credentials
  /** Milliseconds since the epoch. Infinity if the plugin named no time. */
  readonly expiresAtMs: number
}

/** A cluster whose authority file, if any, has been read. */
export type ReadCluster = ClusterEntry & { readonly authorityText?: string | undefined }

/** Returns the value of KUBERNETES_EXEC_INFO. */
export function pluginInput(plugin: PluginEntry, cluster: ReadCluster): string {
  const about = {
    server: cluster.server,
    'tls-server-name': cluster.serverName,
    'insecure-skip-tls-verify': cluster.skipTlsVerify || undefined,
    'certificate-authority-data':
      cluster.authorityText === undefined ? undefined : Buffer.from(cluster.authorityText).toString('base64'),
    'proxy-url': cluster.proxyUrl,
    config: cluster.pluginConfig,
  }
  return JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(plugin.needsCluster ? { cluster: about } : {}) },
  })
}

/**
 * Parses the output of a plugin. Throws ConnectionError `PluginFailed` if the output is no ExecCredential or has no
 * complete credentials.
 */
export function parseExecCredential(plugin: PluginEntry, output: string): IssuedCredentials {
  const status = statusOf(plugin, output)
  const token = textOf(status.token)
  const certificate = textOf(status.clientCertificateData)
  const key = textOf(status.clientKeyData)
  if ((certificate === undefined) !== (key === undefined))
    throw failed(plugin, 'gave a certificate without its key, or a key without its certificate')
  if (token === undefined && certificate === undefined) throw failed(plugin, 'gave neither a token nor a certificate')
  const expiresAtMs =
    status.expirationTimestamp == null ? Number.POSITIVE_INFINITY : Date.parse(String(status.expirationTimestamp))
  if (Number.isNaN(expiresAtMs)) throw failed(plugin, 'gave an expirationTimestamp that is no RFC 3339 time')
  return {
    credentials: {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
    },
    expiresAtMs,
  }
}

function statusOf(plugin: PluginEntry, output: string): JsonObject {
  let answer: unknown
  try {
    answer = JSON.parse(output)
  } catch {
    throw failed(plugin, 'wrote something that is not JSON to its standard output')
  }
  if (!isJsonObject(answer) || answer.kind !== 'ExecCredential' || !isJsonObject(answer.status)) {
    throw failed(plugin, 'wrote JSON that is not an ExecCredential with a status')
  }
  if (answer.apiVersion !== plugin.apiVersion) {
    throw failed(plugin, `was asked for ${plugin.apiVersion} and answered in another version`)
  }
  return answer.status
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.trim() : undefined
}

function failed(plugin: PluginEntry, what: string): ConnectionError {
  return new ConnectionError(
    'PluginFailed',
    `the credential plugin ${plugin.command} ${what}; update or reconfigure it`,
  )
}
