// Rights of an account in a story: a ServiceAccount, a role and a binding, as an administrator creates them.
import type { AccessRule } from '../control-plane/control-plane-client.ts'
import type { Hand } from './hand.ts'
import type { Account } from './story-server.ts'

const group = 'rbac.authorization.k8s.io'

export async function makeAccount(hand: Hand, { namespace, name }: Account): Promise<void> {
  await hand.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
}

/** Grants the rules in every namespace, or in one, in addition to earlier grants. */
export async function grant(
  hand: Hand,
  account: Account,
  rules: readonly AccessRule[],
  namespace?: string,
): Promise<void> {
  const [role, binding] = namespace === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding']
  const resources = rules.flatMap((rule) => rule.resources ?? []).map((name) => name.replaceAll(/[^a-z]/g, ''))
  const name = `${account.name}-${resources.join('-') || 'all'}`
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) }
  await hand.create({ apiVersion: `${group}/v1`, kind: role, metadata, rules })
  await hand.create({
    apiVersion: `${group}/v1`,
    kind: binding,
    metadata,
    roleRef: { apiGroup: group, kind: role, name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  })
}
