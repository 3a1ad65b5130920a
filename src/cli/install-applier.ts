// How does the operator get into a cluster without kubectl? By server-side apply, object by object, the definitions first and
// served before the rest comes. Nothing is taken from another field manager: a conflict is told, and is the user's to settle.
import { deadline, sleep, systemClock } from '../base/clock.ts'
import { silentInstruments } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import { DiscoveryClient } from '../kube/discovery-client.ts'
import { type ConnectionSource, loadConnection } from '../kube/kube-config-loader.ts'
import { RestClient } from '../kube/rest-client.ts'
import { CustomResourceDefinition } from '../object/built-in.ts'
import { findCondition } from '../object/condition.ts'
import type { KubeObject, LiveObject, StatusWithConditions } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { groupKindOf, groupOf } from '../object/resource.ts'
import { CommandError } from './command-error.ts'
import { packageVersion } from './package-folder.ts'

/** Which cluster, and as whom. */
export interface ClusterChoice {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

export interface Installation extends ClusterChoice {
  readonly definitions: readonly KubeObject[]
  /** In an order in which they can be applied. */
  readonly manifests: readonly KubeObject[]
  readonly write: (text: string) => void
}

const fieldManager = 'konverge-install'
const establishLimitMs = 60_000
const askEveryMs = 250
const closeLimitMs = 500

/** Rejects at the first object that the server refuses; what was applied stays, and installing again goes on from there. */
export async function installInto(installation: Installation, signal: AbortSignal): Promise<void> {
  const { environment, kubeconfig, context, definitions, manifests, write } = installation
  const clock = systemClock
  const source: ConnectionSource =
    kubeconfig === undefined ? { kind: 'default' } : { kind: 'files', paths: [kubeconfig] }
  const connection = await loadConnection({ clock, source, environment, context }, signal)
  const userAgent = `konverge/${packageVersion()}`
  const client = new RestClient({ connection, clock, instruments: silentInstruments, userAgent })
  const discovery = new DiscoveryClient({ clock, client })
  const applyAll = async (objects: readonly KubeObject[]) => {
    for (const object of objects) {
      const resource = await discovery.find(groupOf(object.apiVersion), object.kind, signal)
      if (resource === undefined) throw new CommandError(`the API server does not serve ${groupKindOf(object)}`, 1)
      await client.apply(resource, object, { fieldManager, force: false }, signal)
      write(`applied ${describeRef(refOf(object))}\n`)
    }
  }
  try {
    await applyAll(definitions)
    await waitUntilEstablished(client, definitions, signal)
    await applyAll(manifests)
  } finally {
    const limit = deadline(clock, closeLimitMs, new AbortController().signal)
    await client.close(limit.signal)
    limit.clear()
  }
}

/** Else the operator's first watches would find nothing to watch. */
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
