// Client of a running control plane, from this or another process: kubectl, permissions and kubeconfigs of users, and
// the audit log.
// Only its owner can start and stop it.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiAnswer, ApiRequest } from './api-request.ts'
import { apiRequest } from './api-request.ts'
import type { AuditEvent } from './audit-log.ts'
import { parseAuditLog } from './audit-log.ts'
import type { UserName } from './users.ts'
import { kubeconfigText } from './users.ts'

/**
 * Everything that another process needs to use a control plane: plain data with paths and addresses of this machine.
 */
export interface ControlPlaneConnection {
  readonly url: string
  readonly caFile: string
  /** Bearer token of `admin`, a cluster admin. */
  readonly token: string
  /** Kubeconfig of `admin`. */
  readonly kubeconfigPath: string
  readonly kubeconfigs: Readonly<Record<UserName, string>>
  /** Folder of the control plane; removed when the control plane stops. */
  readonly folder: string
  /** Undefined if the control plane was started without `auditLog`. */
  readonly auditLogPath: string | undefined
  readonly kubectlPath: string
  readonly kubectlCache: string
}

export interface CommandOutcome {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** A `PolicyRule` of `rbac.authorization.k8s.io/v1`. */
export interface AccessRule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

export interface Grant {
  /** A user of the token file, or a service account. */
  readonly to: UserName | { readonly namespace: string; readonly serviceAccount: string }
  /** Without a namespace, the rules apply in every namespace and to cluster-scoped resources. */
  readonly namespace?: string
  readonly rules: readonly AccessRule[]
}

export interface ServiceAccountRequest {
  readonly namespace: string
  readonly name: string
  readonly rules?: readonly AccessRule[]
}

export interface ServiceAccountAccess {
  readonly username: string
  readonly token: string
  readonly kubeconfigPath: string
}

/** Longer than the timeout of any `kubectl wait` in a test. */
const kubectlLimitMs = 10 * 60_000
const kubectlOutputBytes = 256 * 1024 * 1024

export class ControlPlaneClient implements ControlPlaneConnection {
  readonly url: string
  readonly caFile: string
  readonly token: string
  readonly kubeconfigPath: string
  readonly kubeconfigs: Readonly<Record<UserName, string>>
  readonly folder: string
  readonly auditLogPath: string | undefined
  readonly kubectlPath: string
  readonly kubectlCache: string
  /** Data from which another process can create its own client. */
  readonly connection: ControlPlaneConnection

  constructor(connection: ControlPlaneConnection) {
    this.url = connection.url
    this.caFile = connection.caFile
    this.token = connection.token
    this.kubeconfigPath = connection.kubeconfigPath
    this.kubeconfigs = connection.kubeconfigs
    this.folder = connection.folder
    this.auditLogPath = connection.auditLogPath
    this.kubectlPath = connection.kubectlPath
    this.kubectlCache = connection.kubectlCache
    this.connection = connection
  }

  /** Runs kubectl as `admin`. A non-zero exit code is an outcome, not an error. */
  kubectl(...args: readonly string[]): Promise<CommandOutcome> {
    return this.#kubectl(args, '')
  }

  /** Applies objects with `kubectl apply --server-side` as `admin`; throws kubectl's error output on failure. */
  async apply(...objects: readonly object[]): Promise<void> {
    const stream = objects.map((object) => JSON.stringify(object)).join('\n')
    const outcome = await this.#kubectl(['apply', '--server-side', '-f', '-'], stream)
    if (outcome.exitCode !== 0) throw new Error(`kubectl apply failed: ${outcome.stderr}`)
  }

  /**
   * Returns the requests completed since the start, in order of completion. The API server writes an event just after
   * the response, so
   * a test that looks for its own last request must poll. Throws without `auditLog: true`.
   */
  async auditEvents(): Promise<readonly AuditEvent[]> {
    if (this.auditLogPath === undefined) throw new Error('This control plane was started without auditLog.')
    return parseAuditLog(await readFile(this.auditLogPath, 'utf8'))
  }

  /** Grants the permissions of these rules to a user or service account, with a new role and binding. */
  async grant(grant: Grant): Promise<void> {
    const scope = grant.namespace === undefined ? '' : `/namespaces/${grant.namespace}`
    const [role, binding] =
      grant.namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding']
    const group = 'rbac.authorization.k8s.io'
    const path = (kind: string) => `/apis/${group}/v1${scope}/${kind.toLowerCase()}s`
    const metadata = {
      generateName: 'granted-',
      ...(grant.namespace === undefined ? {} : { namespace: grant.namespace }),
    }
    const made = await this.create(path(role), { kind: role, metadata, rules: grant.rules })
    const roleRef = { apiGroup: group, kind: role, name: nameOf(made) }
    await this.create(path(binding), { kind: binding, metadata, roleRef, subjects: [subjectOf(grant.to)] })
  }

  /**
   * Creates a service account with the permissions of the rules in every namespace. Returns a kubeconfig that is valid
   * for one day.
   */
  async createServiceAccountKubeconfig(ask: ServiceAccountRequest): Promise<ServiceAccountAccess> {
    await this.create(`/api/v1/namespaces/${ask.namespace}/serviceaccounts`, { metadata: { name: ask.name } })
    if (ask.rules !== undefined) {
      await this.grant({ to: { namespace: ask.namespace, serviceAccount: ask.name }, rules: ask.rules })
    }
    return await this.serviceAccountKubeconfig(ask)
  }

  /** Returns a kubeconfig, valid for one day, of an existing service account. */
  async serviceAccountKubeconfig(ask: Omit<ServiceAccountRequest, 'rules'>): Promise<ServiceAccountAccess> {
    const { url, caFile, folder } = this
    const path = `/api/v1/namespaces/${ask.namespace}/serviceaccounts/${ask.name}/token`
    const answer = await this.create(path, { spec: { expirationSeconds: 86_400 } })
    const { token } = (answer as { status: { token: string } }).status // A TokenRequest that was created has both.
    const username = `system:serviceaccount:${ask.namespace}:${ask.name}`
    const kubeconfigPath = join(folder, `${ask.namespace}-${ask.name}.kubeconfig`)
    await writeFile(kubeconfigPath, kubeconfigText({ url, caFile, user: username, token }))
    return { username, token, kubeconfigPath }
  }

  /** Sends one request as `admin`; an error status is a response. */
  async request(ask: ApiRequest): Promise<ApiAnswer> {
    const { url, caFile, token } = this
    return apiRequest({ url, token, ca: await readFile(caFile, 'utf8') }, ask)
  }

  /** Creates an object as `admin` and returns it as the server stored it; throws the server's error message. */
  async create(path: string, object: object): Promise<unknown> {
    const answer = await this.request({ method: 'POST', path, body: object })
    if (answer.status !== 201) throw new Error(`POST ${path} was refused with ${answer.status}: ${answer.text}`)
    return JSON.parse(answer.text)
  }

  #kubectl(args: readonly string[], input: string): Promise<CommandOutcome> {
    const { kubectlPath, kubeconfigPath, kubectlCache } = this
    const fixed = [`--kubeconfig=${kubeconfigPath}`, `--cache-dir=${kubectlCache}`]
    return new Promise((resolve) => {
      const options = { timeout: kubectlLimitMs, maxBuffer: kubectlOutputBytes }
      const child = execFile(kubectlPath, [...fixed, ...args], options, (error, stdout, stderr) => {
        if (error === null) resolve({ stdout, stderr, exitCode: 0 })
        else if (typeof error.code === 'number') resolve({ stdout, stderr, exitCode: error.code })
        else resolve({ stdout, stderr: `${stderr}${error.message}`, exitCode: -1 })
      })
      child.stdin?.on('error', () => undefined) // Kubectl may exit without reading it.
      child.stdin?.end(input)
    })
  }
}

const nameOf = (object: unknown): string => (object as { metadata: { name: string } }).metadata.name // Created, so named.

function subjectOf(to: Grant['to']): object {
  return typeof to === 'string'
    ? { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: to }
    : { kind: 'ServiceAccount', namespace: to.namespace, name: to.serviceAccount }
}
