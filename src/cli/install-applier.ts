// Installation without kubectl: server-side apply, object by object. Definitions come first and must be served before
// the rest. Invariant: it takes no field from another field manager; a conflict is an error for the user to resolve.
import { deadline, sleep, systemClock } from '../base/clock.ts'
import type { KubeClient } from '../kube/client.ts'
import { DiscoveryClient } from '../kube/discovery-client.ts'
import { CustomResourceDefinition } from '../object/built-in.ts'
import { findCondition } from '../object/condition.ts'
import type { KubeObject, LiveObject, StatusWithConditions } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf, groupOf } from '../object/resource.ts'
import { type ClusterChoice, type ClusterUser, withClient } from './cluster-client.ts'
import { CommandError } from './command-error.ts'

export interface Installation extends ClusterChoice, ClusterUser {
  readonly definitions: readonly KubeObject[]
  /** Manifests in apply order. A namespaced object without a namespace goes to `default`. */
  readonly manifests: readonly KubeObject[]
  readonly fieldManager: string
  readonly write: (text: string) => void
}

const establishLimitMs = 60_000
const askEveryMs = 250

/**
 * Applies the installation. Rejects at the first object that the server rejects. Applied objects remain; a repeated
 * installation continues.
 */
export async function installInto(installation: Installation, signal: AbortSignal): Promise<void> {
  const { definitions, manifests } = installation
  const install = async (client: KubeClient) => {
    const discovery = new DiscoveryClient({ clock: systemClock, client })
    const apply = applierOf(installation, { client, discovery }, signal)
    for (const definition of definitions) await apply(definition)
    await waitUntilEstablished(client, definitions, signal)
    for (const manifest of manifests) await apply(manifest)
  }
  await withClient(installation, install, signal)
}

function applierOf(
  { fieldManager, write }: Installation,
  { client, discovery }: { readonly client: KubeClient; readonly discovery: DiscoveryClient },
  signal: AbortSignal,
): (object: KubeObject) => Promise<void> {
  return async (object) => {
    const resource = await discovery.find(groupOf(object.apiVersion), object.kind, signal)
    if (resource === undefined) throw new CommandError(`the API server does not serve ${groupKindOf(object)}`, 1)
    const isPlaced = resource.scope === 'Cluster' || object.metadata.namespace !== undefined
    const placed = isPlaced ? object : { ...object, metadata: { ...object.metadata, namespace: 'default' } }
    await client.apply(resource, placed, { fieldManager, force: false }, signal)
    write(`applied ${describeRef(refOf(placed))}\n`)
  }
}

/** Waits until the API server serves the definitions. Otherwise, the operator's first watches would fail. */
async function waitUntilEstablished(
  client: KubeClient,
  definitions: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const limit = deadline(systemClock, establishLimitMs, signal)
  try {
    for (const { metadata } of definitions) {
      while (!isEstablished(await client.get(CustomResourceDefinition, metadata, limit.signal))) {
        await sleep(systemClock, askEveryMs, limit.signal)
      }
    }
  } catch (thrown) {
    if (!limit.hasPassed()) throw thrown
    const names = definitions.map(({ metadata }) => metadata.name).join(', ')
    throw new CommandError(
      `not all of ${names} were served within ${establishLimitMs / 1000} s; see their conditions, then install again`,
      1,
    )
  } finally {
    limit.clear()
  }
}

function isEstablished({ status }: LiveObject): boolean {
  // Sound: conditions of CRDs have this shape.
  const { conditions = [] } = (status ?? {}) as StatusWithConditions
  return findCondition(conditions, 'Established')?.status === 'True'
}
