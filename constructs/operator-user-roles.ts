// ClusterRoles that give people rights on the operator's kinds, aggregated into Kubernetes' roles `view`, `edit` and
// `admin`. None grants a status or finalizers, which belong to the operator. Pure.
import type { OperatorKind, OperatorRule } from './operator-install-props.ts'

const reading = ['get', 'list', 'watch']
const writing = ['create', 'update', 'patch', 'delete', 'deletecollection']
const aggregate = (role: string) => `rbac.authorization.k8s.io/aggregate-to-${role}`

export interface UserRole {
  /** Suffix of its name. */
  readonly name: 'view' | 'edit'
  readonly labels: Readonly<Record<string, string>>
  readonly rules: readonly OperatorRule[]
}

/** Users with `admin` or `edit` in a namespace may write the kinds there; users with `view` may read them. */
export function userRoles(kinds: readonly OperatorKind[]): readonly UserRole[] {
  if (kinds.length === 0) return []
  const groups = Object.entries(Object.groupBy(kinds, ({ group }) => group))
  const rulesFor = (verbs: readonly string[], scaleVerbs: readonly string[]) =>
    groups.flatMap(([group, of = []]) => {
      const rule = (resources: readonly string[], allowed: readonly string[]) =>
        resources.length === 0 ? [] : [{ apiGroups: [group], resources: resources.toSorted(), verbs: allowed }]
      const scaled = of.filter(({ hasScale }) => hasScale === true).map(({ plural }) => `${plural}/scale`)
      return [
        ...rule(
          of.map(({ plural }) => plural),
          verbs,
        ),
        ...rule(scaled, scaleVerbs),
      ]
    })
  const yes = (roles: readonly string[]) => Object.fromEntries(roles.map((role) => [aggregate(role), 'true']))
  return [
    { name: 'view', labels: yes(['view', 'edit', 'admin']), rules: rulesFor(reading, ['get']) },
    { name: 'edit', labels: yes(['edit', 'admin']), rules: rulesFor(writing, ['update', 'patch']) },
  ]
}
