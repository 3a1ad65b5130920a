// Admission of roles and bindings: the writer must hold every right that they grant, or may `escalate` or `bind`.
// Source: k8s.io/kubernetes/pkg/registry/rbac/*/policybased.
// It runs last, because upstream checks in the store, after all admission.

import { deepEqual, type JsonObject } from '../../base/json.ts'
import { escalationOf } from '../access/escalation.ts'
import { decide, type PolicyRule, referredRules, rulesOf } from '../access/policy-rules.ts'
import { structAt, structsAt, textAt } from '../built-in/field-walk.ts'
import { metadataOf, metadataText, withMetadata } from '../metadata.ts'
import { forbiddenRequest, notFound, plainError } from '../status-error.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'

const rbac = 'rbac.authorization.k8s.io'
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceUrls: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceUrls: ['*'] },
]

type Written = AdmissionRequest & { readonly object: JsonObject }

export const escalationGuard: AdmissionPlugin = {
  mutate: (request) => {
    const { resource, user } = request
    if (resource.group === rbac && !user.groups.includes('system:masters')) check(request)
    return request.object
  },
}

function check(request: Written): void {
  const isRole = request.resource.kind === 'Role' || request.resource.kind === 'ClusterRole'
  if (isRole ? may(request, 'escalate', ownName(request)) : false) return
  if (isForCollector(request)) return
  if (isRole) checkRole(request)
  else checkBinding(request)
}

function checkRole(request: Written): void {
  const { object, old } = request
  refuseEscalation(request, rulesOf(object))
  const gathers = [object, old].some(
    (role) => structsAt(structAt(role, 'aggregationRule'), 'clusterRoleSelectors').length > 0,
  )
  if (gathers && escalation(request, everything) !== undefined)
    throw refused(request, 'must have cluster-admin privileges to use the aggregationRule')
}

function checkBinding(request: Written): void {
  const { namespace, world, resource: written } = request
  const roleRef = structAt(request.object, 'roleRef') ?? {}
  const [kind, name] = [textAt(roleRef, 'kind'), textAt(roleRef, 'name')]
  const resource = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined
  if (resource !== undefined && may(request, 'bind', { group: textAt(roleRef, 'apiGroup'), resource, name })) return
  const { rules, fault } = referredRules(roleRef, namespace, world)
  // Upstream's store names the written resource, even if it looks up another one.
  if (fault !== undefined)
    throw resource === undefined ? plainError(fault) : notFound({ group: rbac, resource: written.plural }, name)
  refuseEscalation(request, rules)
}

interface Wanted {
  readonly group: string
  readonly resource: string
  readonly name: string
}

function ownName({ resource, pathName }: Written): Wanted {
  return { group: rbac, resource: resource.plural, name: pathName }
}

function may({ user, namespace, world }: Written, verb: string, wanted: Wanted): boolean {
  return decide(user, { isResourceRequest: true, verb, subresource: '', namespace, path: '', ...wanted }, world)
    .isAllowed
}

/** Returns whether only fields of the garbage collector change; these grant no rights. */
function isForCollector({ object, old }: Written): boolean {
  if (old === undefined) return false
  const { ownerReferences, finalizers, managedFields } = metadataOf(old)
  return deepEqual(withMetadata(object, { ownerReferences, finalizers, managedFields }), old)
}

function refuseEscalation(request: Written, rules: readonly PolicyRule[]): void {
  const why = escalation(request, rules)
  if (why !== undefined) throw refused(request, why)
}

function escalation({ user, namespace, world }: Written, rules: readonly PolicyRule[]): string | undefined {
  return escalationOf(user, rules, { namespace, view: world })
}

function refused({ resource, object }: Written, why: string) {
  return forbiddenRequest({ group: rbac, resource: resource.plural }, metadataText(object, 'name'), why)
}
