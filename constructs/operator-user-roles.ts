// The ClusterRoles that give people their rights on the operator's kinds, by Kubernetes' own roles `view`, `edit` and `admin`. None has a
// right on a status or on finalizers: these are the operator's. Pure.
import type { OperatorInstallProps, OperatorRule } from './operator-install-props.ts'

const reading = ['get', 'list', 'watch']
const writing = ['create', 'update', 'patch', 'delete', 'deletecollection']
const aggregate = (role: string) => `rbac.authorization.k8s.io/aggregate-to-${role}`

export interface UserRole {
  /** The end of its name. */
  readonly name: 'view' | 'edit'
  readonly labels: Readonly<Record<string, string>>
  readonly rules: readonly OperatorRule[]
}

/** Whoever has `admin` or `edit` in a namespace writes the kinds there; whoever has `view` reads them. */
export function userRoles(kinds: NonNullable<OperatorInstallProps['kinds']>): readonly UserRole[] {
  if (kinds.length === 0) return []
  const groups = Object.entries(Object.groupBy(kinds, ({ group }) => group))
  const rulesFor = (verbs: readonly string[]) =>
    groups.map(([group, of = []]) => ({
      apiGroups: [group],
      resources: of.map(({ plural }) => plural).toSorted(),
      verbs,
    }))
  const yes = (roles: readonly string[]) => Object.fromEntries(roles.map((role) => [aggregate(role), 'true']))
  return [
    { name: 'view', labels: yes(['view', 'edit', 'admin']), rules: rulesFor(reading) },
    { name: 'edit', labels: yes(['edit', 'admin']), rules: rulesFor(writing) },
  ]
}
