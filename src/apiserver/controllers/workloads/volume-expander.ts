// Volume expansion: if its class allows expansion, a claim and its volume grow at once, because no file system needs a
// resize.
// Source of the events: k8s.io/kubernetes/pkg/controller/volume/expand.
import type { Clock } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { isTrueAt, mapAt, structAt, structIn, structsAt, textAt } from '../../built-in/field-walk.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient } from './kind-client.ts'
import { capacityOf, classNameOf, isOwnProvisioner, isSmaller, requestOf } from './volume-match.ts'

const resizeConditions: ReadonlySet<string> = new Set(['Resizing', 'FileSystemResizePending'])

export class VolumeExpander implements ServerController {
  readonly name = 'persistentvolume-expander-controller'
  readonly #claims: KindClient
  readonly #volumes: KindClient
  readonly #classes: KindClient
  readonly #events: EventRecorder

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#claims = new KindClient(client, 'v1', 'PersistentVolumeClaim')
    this.#volumes = new KindClient(client, 'v1', 'PersistentVolume')
    this.#classes = new KindClient(client, 'storage.k8s.io/v1', 'StorageClass')
    this.#events = new EventRecorder({ client, clock, component: 'volume_expand' })
  }

  keysFor({ place, kind, now }: LogEntry): readonly string[] {
    if (place.shelf !== 'persistentvolumeclaims' || kind === 'deleted' || !needsMore(now.object)) return []
    return [`${place.namespace}/${place.name}`]
  }

  reconcile(key: string): undefined {
    const claim = this.#claims.at(key)
    if (claim === undefined || !needsMore(claim)) return
    const storageClass = this.#classes.get('', classNameOf(claim))
    if (!isTrueAt(storageClass, 'allowVolumeExpansion') || !isOwnProvisioner(textAt(storageClass, 'provisioner')))
      return
    const volume = this.#volumes.get('', textAt(structAt(claim, 'spec'), 'volumeName'))
    if (volume === undefined) return
    const storage = requestOf(claim)
    if (isSmaller(capacityOf(volume), storage))
      this.#volumes.update(volume, (live) => {
        const spec = mapAt(live, 'spec')
        return { ...live, spec: { ...spec, capacity: { ...mapAt(spec, 'capacity'), storage } } }
      })
    this.#claims.updateStatus(claim, (live) => withCapacity(live, storage))
    this.#events.normal(claim, 'VolumeResizeSuccessful', 'ExpandVolume succeeded for volume')
  }
}

function needsMore(claim: JsonObject): boolean {
  const status = structAt(claim, 'status')
  return (
    textAt(status, 'phase') === 'Bound' && isSmaller(textAt(structIn(status, 'capacity'), 'storage'), requestOf(claim))
  )
}

function withCapacity(claim: JsonObject, storage: string): JsonObject {
  const { conditions: _, ...status } = mapAt(claim, 'status')
  const left = structsAt(structAt(claim, 'status'), 'conditions').filter(
    (condition) => !resizeConditions.has(textAt(condition, 'type')),
  )
  const capacity = { ...mapAt(status, 'capacity'), storage }
  return { ...claim, status: { ...status, capacity, ...(left.length === 0 ? {} : { conditions: left }) } }
}
