// Parses a kubeconfig into the entries of one context. It opens no file. Paths become absolute against the folder of
// the file that names them. Source: client-go's clientcmd/api/v1 types and merge rules.

import { parse } from 'yaml'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { kubernetesYaml } from '../base/kubernetes-yaml.ts'
import { trimmedEnd } from '../base/trimmed-end.ts'
import { ConfigEntry, type Pem } from './config-entry.ts'
import { ConnectionError } from './connection-error.ts'
import type { Impersonation } from './impersonation.ts'

export interface ClusterEntry {
  readonly server: string
  readonly authority?: Pem | undefined
  readonly skipTlsVerify: boolean
  readonly serverName?: string | undefined
  readonly proxyUrl?: string | undefined
  /** Passed to credential plugins that set `provideClusterInfo`. */
  readonly pluginConfig?: Json | undefined
}

export interface UserEntry {
  readonly certificate?: Pem | undefined
  readonly key?: Pem | undefined
  readonly token?: string | undefined
  readonly tokenFile?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly impersonate?: Impersonation | undefined
  readonly plugin?: PluginEntry | undefined
  /** The older kind of plugin, e.g. `oidc`; kept as written. */
  readonly authProvider?: JsonObject | undefined
}

/** A program that issues credentials. Source: client-go's ExecConfig. */
export interface PluginEntry {
  readonly apiVersion: string
  readonly command: string
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly installHint?: string | undefined
  readonly needsCluster: boolean
  readonly needsTerminal: boolean
}

/** Entries by name, not validated: an error in an entry that no context selects does no harm. */
export interface KubeConfig {
  /** Name of the source in messages. */
  readonly origin: string
  readonly currentContext?: string | undefined
  readonly contexts: ReadonlyMap<string, ConfigEntry>
  readonly clusters: ReadonlyMap<string, ConfigEntry>
  readonly users: ReadonlyMap<string, ConfigEntry>
}

/** Resolved entries of one context. */
export interface SelectedContext {
  readonly name: string
  readonly namespace?: string | undefined
  readonly cluster: ClusterEntry
  readonly user: UserEntry
}

export interface KubeConfigText {
  readonly text: string
  /** Name of the text in messages: its path, or `the kubeconfig text`. */
  readonly origin: string
  /** Base of relative paths. Absent: the working directory. */
  readonly folder?: string | undefined
}

/** Parses the text. Throws ConnectionError `ConfigMalformed`, which names the position and never quotes a value. */
export function parseKubeConfig({ text, origin, folder }: KubeConfigText): KubeConfig {
  const root = new ConfigEntry(parseYaml(text, origin), origin, folder)
  return {
    origin,
    currentContext: root.text('current-context'),
    contexts: root.named('contexts', 'context'),
    clusters: root.named('clusters', 'cluster'),
    users: root.named('users', 'user'),
  }
}

/** Merges configs. The first that defines an entry wins, as with kubectl. */
export function mergeKubeConfigs(configs: readonly KubeConfig[]): KubeConfig {
  const reversed = configs.toReversed()
  return {
    origin: configs.map(({ origin }) => origin).join(' and '),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    contexts: new Map(reversed.flatMap(({ contexts }) => [...contexts])),
    clusters: new Map(reversed.flatMap(({ clusters }) => [...clusters])),
    users: new Map(reversed.flatMap(({ users }) => [...users])),
  }
}

/** Resolves `contextName`, or the current context. A context without a user is anonymous. */
export function selectContext(config: KubeConfig, contextName = config.currentContext): SelectedContext {
  const { origin, contexts, clusters, users } = config
  if (contextName === undefined) {
    throw new ConnectionError(
      'ContextMissing',
      `${origin} has no current context; choose one with "kubectl config use-context" (${listed(contexts)})`,
    )
  }
  const context = contexts.get(contextName)
  if (context === undefined) {
    throw new ConnectionError(
      'ContextMissing',
      `${origin} has no context "${contextName}"; name another (${listed(contexts)})`,
    )
  }
  const dangling = (what: 'cluster' | 'user', name: string, known: ReadonlyMap<string, ConfigEntry>): ConnectionError =>
    new ConnectionError(
      what === 'cluster' ? 'ClusterMissing' : 'UserMissing',
      `context "${contextName}" of ${origin} names the ${what} "${name}", which is not there; correct the context (${listed(known)})`,
    )
  const clusterName = context.required('cluster')
  const cluster = clusters.get(clusterName)
  if (cluster === undefined) throw dangling('cluster', clusterName, clusters)
  const userName = context.text('user')
  const user = userName === undefined ? undefined : users.get(userName)
  if (userName !== undefined && user === undefined) throw dangling('user', userName, users)
  return {
    name: contextName,
    namespace: context.text('namespace'),
    cluster: clusterOf(cluster),
    user: user === undefined ? {} : userOf(user),
  }
}

function listed(entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0 ? 'it defines none' : `it defines ${[...entries.keys()].join(', ')}`
}

function parseYaml(text: string, origin: string): JsonObject {
  let value: unknown
  try {
    value = parse(text, { ...kubernetesYaml, prettyErrors: false, logLevel: 'error' })
  } catch {
    // The parser's own message quotes the text, and the text holds credentials (I11).
    throw new ConnectionError('ConfigMalformed', `${origin} is not YAML; write it anew, e.g. with "kubectl config"`)
  }
  if (!isJsonObject(value)) {
    throw new ConnectionError(
      'ConfigMalformed',
      `${origin} is empty or not a kubeconfig; check that the right file is named`,
    )
  }
  return value
}

function clusterOf(entry: ConfigEntry): ClusterEntry {
  const server = trimmedEnd(entry.required('server'), '/')
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    throw entry.malformed('server', 'must be an http or https URL')
  const extension = entry
    .list('extensions')
    .find((candidate) => candidate.text('name') === 'client.authentication.k8s.io/exec')
  return {
    server,
    authority: entry.pem('certificate-authority'),
    skipTlsVerify: entry.flag('insecure-skip-tls-verify'),
    serverName: entry.text('tls-server-name'),
    proxyUrl: entry.text('proxy-url'),
    pluginConfig: extension?.value('extension'),
  }
}

function userOf(entry: ConfigEntry): UserEntry {
  return {
    certificate: entry.pem('client-certificate'),
    key: entry.pem('client-key'),
    token: entry.text('token'),
    tokenFile: entry.path('tokenFile'),
    username: entry.text('username'),
    password: entry.text('password'),
    impersonate: impersonationOf(entry),
    plugin: entry.child('exec', pluginOf),
    authProvider: entry.child('auth-provider', (provider) => provider.object),
  }
}

function impersonationOf(entry: ConfigEntry): Impersonation | undefined {
  const user = entry.text('as')
  if (user === undefined) return undefined
  const extra = entry.child('as-user-extra', (fields) =>
    Object.fromEntries(Object.keys(fields.object).map((name) => [name, fields.texts(name)])),
  )
  return { user, uid: entry.text('as-uid'), groups: entry.texts('as-groups'), extra: extra ?? {} }
}

function pluginOf(entry: ConfigEntry): PluginEntry {
  const command = entry.required('command')
  return {
    apiVersion: entry.required('apiVersion'),
    // A bare name is found through PATH; a name with a slash is a path.
    command: command.includes('/') ? entry.resolve(command) : command,
    arguments: entry.texts('args'),
    environment: Object.fromEntries(
      entry.list('env').map((variable) => [variable.required('name'), variable.text('value') ?? '']),
    ),
    installHint: entry.text('installHint'),
    needsCluster: entry.flag('provideClusterInfo'),
    needsTerminal: entry.text('interactiveMode') === 'Always',
  }
}
