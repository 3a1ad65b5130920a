// ClusterRole aggregation. An aggregated ClusterRole has all rules of the ClusterRoles that its selectors choose, each
// rule once.
// Source: k8s.io/kubernetes/pkg/controller/clusterroleaggregation.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { mapAt, structAt, structsAt, textAt } from '../built-in/field-walk.ts'
import { LabelMatcher } from '../built-in/label-selector.ts'
import type { LogEntry } from '../object-log.ts'
import type { SystemClient } from '../system-client.ts'
import type { ServerController } from './controller-host.ts'

const clusterRoleShelf = 'clusterroles.rbac.authorization.k8s.io'

export class ClusterRoleAggregator implements ServerController {
  readonly name = 'clusterrole-aggregation-controller'
  readonly #client: SystemClient
  /** Names of all aggregated ClusterRoles: a change of any role may concern each of them. */
  readonly #gathering = new Set<string>()

  /** The field manager of `client` is `clusterrole-aggregation-controller`. */
  constructor(client: SystemClient) {
    this.#client = client
  }

  keysFor({ kind, place, now }: LogEntry): readonly string[] {
    if (place.shelf !== clusterRoleShelf) return []
    if (kind !== 'deleted' && structAt(now.object, 'aggregationRule') !== undefined) this.#gathering.add(place.name)
    else this.#gathering.delete(place.name)
    return [...this.#gathering]
  }

  reconcile(name: string): undefined {
    const resource = this.#client.resource('rbac.authorization.k8s.io/v1', 'ClusterRole')
    const role = resource && this.#client.get({ resource, namespace: '', name })
    if (resource === undefined || role === undefined || structAt(role, 'aggregationRule') === undefined) return
    const rules = gatheredRules(role, this.#client.list(resource))
    if (deepEqual(rules, structsAt(role, 'rules'))) return
    this.#client.apply({ resource, namespace: '', name }, { rules })
  }
}

/** Returns the rules of an aggregated ClusterRole. `roles` are all ClusterRoles, sorted by name. */
export function gatheredRules(role: JsonObject, roles: readonly JsonObject[]): readonly JsonObject[] {
  const own = textAt(structAt(role, 'metadata'), 'name')
  const gathered: JsonObject[] = []
  for (const selector of structsAt(structAt(role, 'aggregationRule'), 'clusterRoleSelectors')) {
    const matcher = LabelMatcher.of(selector)
    for (const other of roles) {
      const metadata = structAt(other, 'metadata')
      if (textAt(metadata, 'name') === own || matcher?.matches(mapAt(metadata, 'labels')) !== true) continue
      for (const rule of structsAt(other, 'rules'))
        if (!gathered.some((known) => deepEqual(known, rule))) gathered.push(rule)
    }
  }
  return gathered
}
