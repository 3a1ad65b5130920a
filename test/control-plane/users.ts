// Users of the control plane with their tokens. Every user has one random bearer token, fixed for the life of the API
// server, because it
// reads its token file only at start.

export const userNames = [
  'admin',
  'operator',
  'tenant',
  'nobody',
  'kwok',
  'system:kube-controller-manager',
  'system:kube-scheduler',
] as const

export type UserName = (typeof userNames)[number]

/**
 * Groups of each user of the token file. `operator`, `tenant` and `nobody` start without permissions. The two system
 * users get theirs by
 * name, from the API server's bootstrap roles.
 */
export const groupsOf: Readonly<Record<UserName, readonly string[]>> = {
  admin: ['system:masters'],
  operator: [],
  tenant: [],
  nobody: [],
  kwok: ['system:masters'],
  'system:kube-controller-manager': [],
  'system:kube-scheduler': [],
}

export type Tokens = Readonly<Record<UserName, string>>

/** Returns the text of `--token-auth-file`: token, user, uid, groups. */
export function tokenFile(tokens: Tokens): string {
  const line = (name: UserName) => `${tokens[name]},${name},${name},"${groupsOf[name].join(',')}"`
  return `${userNames.map(line).join('\n')}\n`
}

export interface Access {
  readonly url: string
  readonly caFile: string
  readonly user: string
  readonly token: string
}

/** Returns a kubeconfig with one context, as JSON, which is valid YAML. */
export function kubeconfigText(access: Access): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'control-plane', cluster: { server: access.url, 'certificate-authority': access.caFile } }],
    users: [{ name: access.user, user: { token: access.token } }],
    contexts: [{ name: 'control-plane', context: { cluster: 'control-plane', user: access.user } }],
    'current-context': 'control-plane',
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}
