// Test environment of the workload controllers: a whole cluster with simulated nodes and a simulated clock.
import { Cluster } from '../../../../src/apiserver/cluster.ts'
import { KindClient } from '../../../../src/apiserver/controllers/workloads/kind-client.ts'
import { metadataText } from '../../../../src/apiserver/metadata.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../../src/base/json.ts'
import { seededRandom } from '../../../../src/base/random.ts'
import { SimClock } from '../../../../src/testing/sim-clock.ts'

export const namespace = 'default'

export interface ClusterStage {
  readonly clock: SimClock
  readonly cluster: Cluster
  kind(apiVersion: string, kind: string): KindClient
  /** Runs all due work. */
  settle(): Promise<void>
  podNames(): readonly string[]
  /** Returns reasons and messages of the Events about an object, in order. */
  eventsOf(name: string): readonly string[]
}

export function clusterStage(simulatedNodes = 3): ClusterStage {
  const clock = new SimClock()
  const cluster = new Cluster({ clock, random: seededRandom(1), simulatedNodes })
  const client = cluster.server.systemClient('test')
  const kind = (apiVersion: string, name: string) => new KindClient(client, apiVersion, name)
  return {
    clock,
    cluster,
    kind,
    settle: () => clock.advance(50),
    podNames: () =>
      kind('v1', 'Pod')
        .list(namespace)
        .map((pod) => metadataText(pod, 'name')),
    eventsOf: (name) =>
      kind('v1', 'Event')
        .list(namespace)
        .filter((event) => at(event, 'involvedObject', 'name') === name)
        .sort((left, right) => (metadataText(left, 'name') < metadataText(right, 'name') ? -1 : 1))
        .map((event) => `${at(event, 'reason')}: ${at(event, 'message')}`),
  }
}

/** Returns the value at a path of keys and indexes; undefined if the path ends early. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((found, step) => {
    if (typeof step === 'number') return isJsonList(found) ? found[step] : undefined
    return isJsonObject(found) ? own(found, step) : undefined
  }, value)
}

/** Returns a template with one container. */
export function template(app: string, image = 'web:1', more: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'main', image }], ...more },
  }
}
