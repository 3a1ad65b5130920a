// RBAC evaluation. Rules only add rights. ClusterRoleBindings apply everywhere, RoleBindings in their namespace.
// Source: k8s.io/kubernetes/pkg/registry/rbac/validation/rule.go, plugin/pkg/auth/authorizer/rbac.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { trimmedEnd } from '../../base/trimmed-end.ts'
import { goQuoted } from '../field-error.ts'
import type { Committed, View } from '../object-log.ts'
import type { User } from '../user.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceUrls: readonly string[]
}

/** Attributes of an action to authorize. */
export interface AccessAttributes {
  readonly isResourceRequest: boolean
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

export interface Decision {
  readonly isAllowed: boolean
  /** Binding that allows the action, or errors of the evaluation; may be empty. */
  readonly reason: string
}

const rbac = 'rbac.authorization.k8s.io'
const masters = 'system:masters'

/** Returns whether the user may perform the action. */
export function decide(user: User, attributes: AccessAttributes, view: View): Decision {
  if (user.groups.includes(masters)) return { isAllowed: true, reason: '' }
  const faults: string[] = []
  for (const { rules, describe, fault } of grantsFor(user, attributes.namespace, view)) {
    if (fault !== undefined) faults.push(fault)
    if (rules.some((rule) => allows(rule, attributes)))
      return { isAllowed: true, reason: `RBAC: allowed by ${describe()}` }
  }
  const reason =
    faults.length === 0 ? '' : `RBAC: ${faults.length === 1 ? faults[0] : `[${[...new Set(faults)].join(', ')}]`}`
  return { isAllowed: false, reason }
}

/** Returns all rules of the user in a namespace ('' for the cluster), and errors that may hide more rules. */
export function rightsOf(
  user: User,
  namespace: string,
  view: View,
): { readonly rules: readonly PolicyRule[]; readonly faults: readonly string[] } {
  const grants = [...grantsFor(user, namespace, view)]
  return {
    rules: grants.flatMap(({ rules }) => rules),
    // Upstream reads roles from the store here, whose errors name the plural; the authorizer's cache names the
    // singular.
    faults: grants.flatMap(({ fault }) =>
      fault === undefined ? [] : [fault.replace(/^(clusterrole|role)\./, '$1s.')],
    ),
  }
}

export function allows(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!matches(rule.verbs, wanted.verb)) return false
  if (!wanted.isResourceRequest)
    return rule.nonResourceUrls.some(
      (url) =>
        url === '*' || url === wanted.path || (url.endsWith('*') && wanted.path.startsWith(trimmedEnd(url, '*'))),
    )
  return (
    matches(rule.apiGroups, wanted.group) &&
    matchesResource(rule.resources, wanted) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(wanted.name))
  )
}

/** Returns the rules of a Role or ClusterRole. */
export function rulesOf(role: JsonObject): readonly PolicyRule[] {
  return objects(own(role, 'rules')).map((rule) => ({
    verbs: texts(own(rule, 'verbs')),
    apiGroups: texts(own(rule, 'apiGroups')),
    resources: texts(own(rule, 'resources')),
    resourceNames: texts(own(rule, 'resourceNames')),
    nonResourceUrls: texts(own(rule, 'nonResourceURLs')),
  }))
}

/** Returns the rules of the role that a roleRef names, or why there are none. */
export function referredRules(
  roleRef: JsonObject,
  namespace: string,
  view: View,
): { rules: readonly PolicyRule[]; fault?: string } {
  const kind = own(roleRef, 'kind')
  const name = String(own(roleRef, 'name') ?? '')
  const isCluster = kind === 'ClusterRole'
  if (!isCluster && kind !== 'Role')
    return { rules: [], fault: `unsupported role reference kind: ${goQuoted(String(kind ?? ''))}` }
  const shelf = `${isCluster ? 'clusterroles' : 'roles'}.${rbac}`
  const role = view.get({ shelf, namespace: isCluster ? '' : namespace, name })
  if (role !== undefined) return { rules: keptRules(role) }
  return { rules: [], fault: `${isCluster ? 'clusterrole' : 'role'}.${rbac} ${goQuoted(name)} not found` }
}

interface Grant {
  readonly rules: readonly PolicyRule[]
  readonly fault: string | undefined
  describe(): string
}

function* grantsFor(user: User, namespace: string, view: View): Generator<Grant> {
  yield* boundTo(user, { kind: 'ClusterRoleBinding', shelf: `clusterrolebindings.${rbac}`, namespace: '' }, view)
  if (namespace !== '') yield* boundTo(user, { kind: 'RoleBinding', shelf: `rolebindings.${rbac}`, namespace }, view)
}

function* boundTo(user: User, of: { kind: string; shelf: string; namespace: string }, view: View): Generator<Grant> {
  for (const state of view.list(of.shelf, of.namespace === '' ? undefined : of.namespace)) {
    const { subjects, roleRef } = bindingOf(state)
    const subject = subjects.find((candidate) => isSubject(user, candidate, of.namespace))
    if (subject === undefined || roleRef === undefined) continue
    const { rules, fault } = referredRules(roleRef, of.namespace, view)
    const describe = () => {
      const { name } = state.place
      const shown = of.namespace === '' ? name : `${name}/${of.namespace}`
      return `${of.kind} ${goQuoted(shown)} of ${own(roleRef, 'kind')} ${goQuoted(String(own(roleRef, 'name')))} to ${describeSubject(subject, of.namespace)}`
    }
    yield { rules, fault, describe }
  }
}

interface Binding {
  readonly subjects: readonly JsonObject[]
  readonly roleRef: JsonObject | undefined
}

/** Parsed bindings. Each request scans all bindings, so each state is parsed once. */
const bindings = new WeakMap<Committed, Binding>()
const rulesByRole = new WeakMap<Committed, readonly PolicyRule[]>()

function bindingOf(state: Committed): Binding {
  const known = bindings.get(state)
  if (known !== undefined) return known
  const { object } = state
  const roleRef = own(object, 'roleRef')
  const read = { subjects: objects(own(object, 'subjects')), roleRef: isJsonObject(roleRef) ? roleRef : undefined }
  bindings.set(state, read)
  return read
}

function keptRules(state: Committed): readonly PolicyRule[] {
  const rules = rulesByRole.get(state) ?? rulesOf(state.object)
  rulesByRole.set(state, rules)
  return rules
}

function isSubject(user: User, subject: JsonObject, bindingNamespace: string): boolean {
  const name = own(subject, 'name')
  switch (own(subject, 'kind')) {
    case 'User':
      return user.name === name
    case 'Group':
      return user.groups.includes(String(name))
    case 'ServiceAccount': {
      const namespace = String(own(subject, 'namespace') ?? '') || bindingNamespace
      return namespace !== '' && user.name === `system:serviceaccount:${namespace}:${name}`
    }
    default:
      return false
  }
}

function describeSubject(subject: JsonObject, bindingNamespace: string): string {
  const kind = String(own(subject, 'kind'))
  const name = String(own(subject, 'name'))
  if (kind !== 'ServiceAccount') return `${kind} ${goQuoted(name)}`
  return `${kind} ${goQuoted(`${name}/${String(own(subject, 'namespace') ?? '') || bindingNamespace}`)}`
}

function matches(granted: readonly string[], wanted: string): boolean {
  return granted.includes('*') || granted.includes(wanted)
}

function matchesResource(granted: readonly string[], { resource, subresource }: AccessAttributes): boolean {
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  return granted.some(
    (entry) => entry === '*' || entry === combined || (subresource !== '' && entry === `*/${subresource}`),
  )
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : []
}

function texts(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : []
}
