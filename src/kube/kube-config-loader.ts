// Loads the connection to the API server from a kubeconfig (files or text) or from the service account of this pod.
// Every failure is one sentence with a remedy. This file reads the files and receives the environment as a value, so
// the rules in kube-config.ts stay pure.
import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Pem } from './config-entry.ts'
import { type Connection, type CredentialSource, type Credentials, fixedCredentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'
import { environmentProxy } from './environment-proxy.ts'
import { FileCredentialsLoader } from './file-credentials-loader.ts'
import { impersonationHeaders } from './impersonation.ts'
import {
  type KubeConfig,
  mergeKubeConfigs,
  parseKubeConfig,
  type SelectedContext,
  selectContext,
} from './kube-config.ts'
import { PluginLoader } from './plugin-loader.ts'
import { bearer, loadTokenFile } from './token-file-loader.ts'

export type ConnectionSource =
  /** `KUBECONFIG`, else the pod's service account, else `~/.kube/config`. */
  | { readonly kind: 'default' }
  /** Merged; the first file that defines an entry wins. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'in-cluster' }

export interface LoadConnectionOptions {
  readonly clock: Clock
  readonly source: ConnectionSource
  /** The process's environment, e.g. `KUBECONFIG`, `HOME` and `KUBERNETES_SERVICE_HOST`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A context of the kubeconfig. Absent: its current context. */
  readonly context?: string | undefined
  /** Folder of the pod's token, authority and namespace. */
  readonly serviceAccountFolder?: string
}

const defaultServiceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Rejects with a ConnectionError that names the file, context or program at fault and the remedy.
 *
 * @example await loadConnection({ clock, source: { kind: 'default' }, environment }, signal)
 */
export async function loadConnection(options: LoadConnectionOptions, signal: AbortSignal): Promise<Connection> {
  const { source } = options
  switch (source.kind) {
    case 'default':
      return loadDefault(options, signal)
    case 'files':
      return loadFiles(options, source.paths, signal)
    case 'text':
      return connectionOf(options, parseKubeConfig({ text: source.text, origin: 'the kubeconfig text' }), signal)
    case 'in-cluster':
      return loadInCluster(options, signal)
  }
}

async function loadDefault(options: LoadConnectionOptions, signal: AbortSignal): Promise<Connection> {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST, HOME, USERPROFILE } = options.environment
  const paths = (KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '')
  if (paths.length > 0) return loadFiles(options, paths, signal)
  if (KUBERNETES_SERVICE_HOST) return loadInCluster(options, signal)
  const home = HOME ?? USERPROFILE
  if (home !== undefined) return loadFiles(options, [join(home, '.kube', 'config')], signal)
  throw new ConnectionError('ConfigMissing', 'no API server is configured: set KUBECONFIG, or HOME, or run in a pod')
}

async function loadFiles(
  options: LoadConnectionOptions,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Connection> {
  const texts = await Promise.all(paths.map((path) => readConfig(path, signal)))
  const configs = paths.flatMap((path, index) => {
    const text = texts[index]
    return text === undefined ? [] : [parseKubeConfig({ text, origin: path, folder: dirname(path) })]
  })
  if (configs.length === 0) {
    throw new ConnectionError(
      'ConfigMissing',
      `there is no kubeconfig at ${paths.join(' or ')}; name one with --kubeconfig or KUBECONFIG`,
    )
  }
  return connectionOf(options, mergeKubeConfigs(configs), signal)
}

async function readConfig(path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await readFile(path, { encoding: 'utf8', signal })
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw new ConnectionError(
      'ConfigUnreadable',
      `the kubeconfig ${path} cannot be read: ${messageOf(thrown)}; check that it is a file that this user may read`,
      thrown,
    )
  }
}

async function connectionOf(
  options: LoadConnectionOptions,
  config: KubeConfig,
  signal: AbortSignal,
): Promise<Connection> {
  const selected = selectContext(config, options.context)
  const { name, namespace, cluster, user } = selected
  const { authority: authorityPem, serverName, skipTlsVerify, proxyUrl } = cluster
  const read = (pem: Pem | undefined, what: string, now: AbortSignal) =>
    readPem(pem, `${what} of context "${name}"`, now)
  const readIdentity = async (now: AbortSignal): Promise<Credentials> => {
    const authority = await read(authorityPem, 'the certificate authority', now)
    const certificate = await read(user.certificate, 'the client certificate', now)
    const key = await read(user.key, 'the client key', now)
    return {
      headers: user.impersonate === undefined ? {} : impersonationHeaders(user.impersonate),
      ...(authority === undefined ? {} : { authority }),
      ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
    }
  }
  if ((user.certificate === undefined) !== (user.key === undefined)) {
    throw new ConnectionError(
      'ConfigMalformed',
      `${config.origin}: the user of context "${name}" has a client certificate or a client key but not both; add the other`,
    )
  }
  const identity = new FileCredentialsLoader({ clock: options.clock, read: readIdentity })
  // Reads the files at the start, so that the start fails if one is missing.
  const { authority } = await identity.credentials(signal)
  const source = new ExtendedCredentials(await sourceOf(options, selected, authority), identity)
  return {
    server: cluster.server,
    description: `${cluster.server} (context "${name}")`,
    namespace,
    skipTlsVerify,
    serverName,
    proxyUrl: proxyUrl ?? environmentProxy(cluster.server, options.environment),
    credentials: (requestSignal) => source.credentials(requestSignal),
    refuse: (credentials) => source.refuse(credentials),
  }
}

/** The first method in the user's entry, in the order of client-go. */
async function sourceOf(
  { clock, environment }: LoadConnectionOptions,
  { cluster, user }: SelectedContext,
  authorityText: string | undefined,
): Promise<CredentialSource> {
  const { tokenFile } = user
  if (tokenFile !== undefined)
    return new FileCredentialsLoader({ clock, read: (signal) => loadTokenFile(tokenFile, signal) })
  if (user.token !== undefined) return fixedCredentials({ headers: { authorization: bearer(user.token) } })
  if (user.plugin !== undefined) {
    return new PluginLoader({ clock, environment, plugin: user.plugin, cluster: { ...cluster, authorityText } })
  }
  if (user.authProvider !== undefined) {
    const { AuthProviderLoader } = await import('./auth-provider-loader.ts')
    return new AuthProviderLoader({ clock, authProvider: user.authProvider })
  }
  if (user.username !== undefined) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
    return fixedCredentials({ headers: { authorization: `Basic ${basic}` } })
  }
  return fixedCredentials({ headers: {} })
}

/**
 * Adds the other fields of a user's entry: a client certificate, impersonation headers, and the authority of the
 * cluster.
 */
class ExtendedCredentials implements CredentialSource {
  readonly #source: CredentialSource
  readonly #extension: CredentialSource
  /** Credentials of both sources and their union. Equal inputs return the same object. */
  #current: { readonly inner: Credentials; readonly more: Credentials; readonly outer: Credentials } | undefined

  constructor(source: CredentialSource, extension: CredentialSource) {
    this.#source = source
    this.#extension = extension
  }

  async credentials(signal: AbortSignal): Promise<Credentials> {
    const more = await this.#extension.credentials(signal)
    const inner = await this.#source.credentials(signal)
    const current = this.#current
    if (current?.inner === inner && current.more === more) return current.outer
    const outer = { ...more, ...inner, headers: { ...more.headers, ...inner.headers } }
    this.#current = { inner, more, outer }
    return outer
  }

  refuse(credentials: Credentials): void {
    const current = this.#current
    if (current === undefined || credentials !== current.outer) return
    this.#source.refuse(current.inner)
    this.#extension.refuse(current.more)
  }
}

async function readPem(pem: Pem | undefined, what: string, signal: AbortSignal): Promise<string | undefined> {
  if (pem === undefined) return undefined
  const text = pem.kind === 'text' ? pem.text : await readNamedFile(pem.path, what, signal)
  if (text.includes('-----BEGIN ')) return text
  const where = pem.kind === 'text' ? '' : ` in ${pem.path}`
  throw new ConnectionError(
    'FileUnreadable',
    `${what}${where} is not PEM; replace it by text that starts with "-----BEGIN"`,
  )
}

async function readNamedFile(path: string, what: string, signal: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', signal })
  } catch (thrown) {
    signal.throwIfAborted()
    throw new ConnectionError(
      'FileUnreadable',
      `${what} cannot be read from ${path}: ${messageOf(thrown)}; check that it exists and that this user may read it`,
      thrown,
    )
  }
}

async function loadInCluster(options: LoadConnectionOptions, signal: AbortSignal): Promise<Connection> {
  const { clock, environment, serviceAccountFolder: folder = defaultServiceAccountFolder } = options
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  if (!host || !port) {
    throw new ConnectionError(
      'NotInCluster',
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is not a pod; name a kubeconfig instead',
    )
  }
  const read = async (now: AbortSignal): Promise<Credentials> => {
    const pem = { kind: 'file', path: join(folder, 'ca.crt') } as const
    const authority = await readPem(pem, "the service account's certificate authority", now)
    const token = await loadTokenFile(join(folder, 'token'), now)
    return { ...token, ...(authority === undefined ? {} : { authority }) }
  }
  const source = new FileCredentialsLoader({ clock, read })
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  const [namespace] = await Promise.all([
    readNamedFile(join(folder, 'namespace'), "the service account's namespace", signal),
    // Reads the token at the start, so that a pod without a token fails at once and not at the first request.
    source.credentials(signal),
  ]).catch((thrown: unknown) => {
    signal.throwIfAborted()
    throw new ConnectionError(
      'NotInCluster',
      `the pod's service account is incomplete: ${messageOf(thrown)} (set automountServiceAccountToken: true on the pod)`,
      thrown,
    )
  })
  return {
    server,
    description: `${server} (the pod's own cluster)`,
    namespace: namespace.trim(),
    podNamespace: namespace.trim(),
    skipTlsVerify: false,
    proxyUrl: environmentProxy(server, environment),
    credentials: (requestSignal) => source.credentials(requestSignal),
    refuse: (credentials) => source.refuse(credentials),
  }
}
