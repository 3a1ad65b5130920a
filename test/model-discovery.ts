// Aggregated discovery of the model API server, with the resources that a test names.
import type { JsonObject } from '../src/base/json.ts'
import type { Resource } from '../src/object/resource.ts'

/** Returns the document at `/api` or `/apis`; undefined for any other path. */
export function discoveryDocument(path: string, served: readonly Resource[]): JsonObject | undefined {
  if (path !== '/api' && path !== '/apis') return undefined
  const groups = Map.groupBy(
    served.filter(({ group }) => (group === '') === (path === '/api')),
    ({ group }) => group,
  )
  const items = [...groups].map(([name, resources]) => ({ metadata: { name }, versions: versionsOf(resources) }))
  return { kind: 'APIGroupDiscoveryList', items }
}

function versionsOf(resources: readonly Resource[]): JsonObject[] {
  return [...Map.groupBy(resources, ({ version }) => version)].map(([version, all]) => ({
    version,
    freshness: 'Current',
    resources: all.map(({ kind, plural, scope }) => ({ resource: plural, responseKind: { kind }, scope })),
  }))
}
