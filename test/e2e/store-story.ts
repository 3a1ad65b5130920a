// Life of two stores in a namespace: create both, then scale one, change its image and another field, and delete it.
// The other store stays unchanged. Each part ends when the cluster shows the desired state.
import type { AnyObject } from '../fault-lab/end-state.ts'
import { type KindPath, type NamespaceReader, storeKind } from '../fault-lab/namespace-reader.ts'
import { isReady, type StoreObject } from './stores.ts'
import type { StoryObjects } from './story-server.ts'

const statefulSets: KindPath = { groupVersion: 'apps/v1', plural: 'statefulsets', kind: 'StatefulSet' }
const services: KindPath = { groupVersion: 'v1', plural: 'services', kind: 'Service' }
const pods: KindPath = { groupVersion: 'v1', plural: 'pods', kind: 'Pod' }
const image = 'valkey/valkey:8.0'

export interface StoryLimits {
  /** Limit of each part. */
  readonly limitMs: number
  readonly until: StoryObjects['until']
}

export async function tellStory(reader: NamespaceReader, { limitMs, until }: StoryLimits): Promise<void> {
  const shown = (what: string, isSo: () => Promise<boolean>) =>
    until({ what: `${what} in ${reader.namespace}`, everyMs: 50, limitMs }, isSo)
  const changed = async (spec: object, what: string) => {
    await reader.patch(storeKind, 'gone', { spec })
    await shown(what, () => isSettled(reader, 'gone'))
  }
  await reader.create(storeKind, 'kept', { image })
  await reader.create(storeKind, 'gone', { image })
  await shown('both stores', async () => (await isSettled(reader, 'kept')) && (await isSettled(reader, 'gone')))
  await changed({ replicas: 2 }, 'two replicas')
  await changed({ image: 'valkey/valkey:8.1' }, 'the new image')
  await changed({ env: [{ name: 'MODE', value: 'fast' }], pdb: { enabled: false } }, 'a variable and no budget')
  await reader.delete(storeKind, 'gone')
  await shown('the end of a store', () => isGone(reader, 'gone'))
}

/** True if the store is Ready for its newest generation and the rollout is complete. */
async function isSettled(reader: NamespaceReader, name: string): Promise<boolean> {
  const [store, set] = await Promise.all([
    reader.get<StoreObject & AnyObject>(storeKind, name),
    reader.get<AnyObject & SetObject>(statefulSets, name),
  ])
  return store !== undefined && set !== undefined && isReady(store) && isRolledOut(set)
}

interface SetObject {
  readonly metadata: AnyObject['metadata'] & { readonly generation: number }
  readonly spec: { readonly replicas: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
    readonly currentRevision?: string
    readonly updateRevision?: string
  }
}

function isRolledOut({ metadata, spec, status }: SetObject): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status.availableReplicas === spec.replicas &&
    status.updatedReplicas === spec.replicas &&
    status.currentRevision === status.updateRevision
  )
}

async function isGone(reader: NamespaceReader, name: string): Promise<boolean> {
  const objects = await reader.objects([storeKind, statefulSets, services, pods])
  return objects.every(({ metadata }) => metadata.name !== name && !metadata.name.startsWith(`${name}-`))
}
