// Escalation check: a user may only grant rights that the user holds.
// Rules are split into single rights; one held rule must cover each. The error names the others.
// Source: k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go,
// k8s.io/kubernetes/pkg/registry/rbac/validation.
import { trimmedEnd } from '../../base/trimmed-end.ts'
import { aggregateText, goQuoted } from '../field-error.ts'
import type { View } from '../object-log.ts'
import type { User } from '../user.ts'
import { type PolicyRule, rightsOf } from './policy-rules.ts'

/** Returns why the user may not grant `rules` in a namespace ('' for the cluster); undefined if allowed. */
export function escalationOf(
  user: User,
  rules: readonly PolicyRule[],
  { namespace, view }: { readonly namespace: string; readonly view: View },
): string | undefined {
  const held = rightsOf(user, namespace, view)
  const missing = uncoveredRules(held.rules, rules)
  if (missing.length === 0) return undefined
  const groups = user.groups.map(goQuoted).join(' ')
  const who = `user ${goQuoted(user.name)} (groups=[${groups}])`
  const rights = [...new Set(compact(missing).map(ruleText))].sort(byBytes).join('\n')
  const faults = held.faults.length === 0 ? '' : `; resolution errors: ${aggregateText(held.faults)}`
  return `${who} is attempting to grant RBAC permissions not currently held:\n${rights}${faults}`
}

/** Returns the single rights of `given` that no rule of `held` covers. */
export function uncoveredRules(held: readonly PolicyRule[], given: readonly PolicyRule[]): readonly PolicyRule[] {
  return given.flatMap(singleRights).filter((right) => !held.some((rule) => covers(rule, right)))
}

/** Splits a rule into rights with at most one verb, group, resource and name each. */
function singleRights(rule: PolicyRule): readonly PolicyRule[] {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceUrls: [] }
  const named = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const ofResources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        named.map((resourceNames) => ({
          ...none,
          ...{ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames },
        })),
      ),
    ),
  )
  const ofUrls = rule.nonResourceUrls.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...none, verbs: [verb], nonResourceUrls: [url] })),
  )
  return [...ofResources, ...ofUrls]
}

function covers(rule: PolicyRule, right: PolicyRule): boolean {
  return (
    hasAll(rule.verbs, right.verbs) &&
    hasAll(rule.apiGroups, right.apiGroups) &&
    right.resources.every((resource) => coversResource(rule.resources, resource)) &&
    (rule.resourceNames.length === 0 ||
      (right.resourceNames.length > 0 && right.resourceNames.every((name) => rule.resourceNames.includes(name)))) &&
    right.nonResourceUrls.every((url) => rule.nonResourceUrls.some((held) => coversUrl(held, url)))
  )
}

function hasAll(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes('*') || wanted.every((one) => held.includes(one))
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes('*') || held.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`)
}

function coversUrl(held: string, url: string): boolean {
  return held === url || (held.endsWith('*') && url.startsWith(trimmedEnd(held, '*')))
}

/** Merges rights that differ only in the verb. */
function compact(rights: readonly PolicyRule[]): readonly PolicyRule[] {
  const compacted = new Map<string, PolicyRule>()
  const others: PolicyRule[] = []
  for (const right of rights) {
    if (right.nonResourceUrls.length > 0) {
      others.push(right)
      continue
    }
    const key = JSON.stringify([right.apiGroups, right.resources, right.resourceNames])
    const known = compacted.get(key)
    compacted.set(key, known === undefined ? right : { ...known, verbs: [...known.verbs, ...right.verbs] })
  }
  return [...others, ...compacted.values()]
}

function ruleText({ apiGroups, resources, nonResourceUrls, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceUrls,
    ResourceNames: resourceNames,
    Verbs: verbs,
  })
  const shown = parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:[${values.map(goQuoted).join(' ')}]`)
  return `{${shown.join(', ')}}`
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
