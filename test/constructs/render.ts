// Renders the manifests of a store by cdk8s.
import { App, Chart } from 'cdk8s'
import { KvCluster, type KvClusterProps } from '../../constructs/index.ts'
import type { JsonObject } from '../../src/base/json.ts'

export interface Rendered {
  readonly cluster: KvCluster
  readonly objects: readonly JsonObject[]
  /** Returns the one object of this kind, or of this kind and name. */
  readonly only: (kind: string, name?: string) => JsonObject
}

export function render(props: KvClusterProps, ids: { chart?: string; store?: string } = {}): Rendered {
  const chart = new Chart(new App(), ids.chart ?? 'chart', { namespace: 'shop' })
  const cluster = new KvCluster(chart, ids.store ?? 'store', props)
  const objects: JsonObject[] = chart.toJson()
  const only = (kind: string, name?: string): JsonObject => {
    const found = objects.filter(
      (object) => object['kind'] === kind && (name === undefined || at(object, 'metadata', 'name') === name),
    )
    const [object] = found
    if (object === undefined || found.length > 1)
      throw new Error(`${found.length} objects of kind ${kind} ${name ?? ''}`)
    return object
  }
  return { cluster, objects, only }
}

/** Returns the value at a path; undefined if the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    // A value without such a field gives undefined.
    (inner, step) =>
      inner === undefined || inner === null ? undefined : (inner as Record<string | number, unknown>)[step],
    value,
  )
}
