// Protection of claims that pods use, and of volumes that claims use. Each has a finalizer from its creation; the
// controller removes
// the finalizer from a deleted object that is no longer in use.
// Sources: k8s.io/kubernetes/pkg/controller/volume/{pvcprotection,pvprotection}.
import type { JsonObject } from '../../../base/json.ts'
import { structAt, textAt } from '../../built-in/field-walk.ts'
import { finalizersOf, isTerminating, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { KindClient } from './kind-client.ts'
import { claimNamesOf } from './placement.ts'
import { nodeOf } from './pod-state.ts'

const claimFinalizer = 'kubernetes.io/pvc-protection'
const volumeFinalizer = 'kubernetes.io/pv-protection'

export class ClaimProtection implements ServerController {
  readonly name = 'persistentvolumeclaim-protection-controller'
  readonly #claims: KindClient
  readonly #pods: KindClient

  constructor(client: SystemClient) {
    this.#claims = new KindClient(client, 'v1', 'PersistentVolumeClaim')
    this.#pods = new KindClient(client, 'v1', 'Pod')
  }

  keysFor({ place, kind, now }: LogEntry): readonly string[] {
    const { shelf, namespace, name } = place
    if (shelf === 'persistentvolumeclaims') return kind === 'deleted' ? [] : [`${namespace}/${name}`]
    if (shelf !== 'pods') return []
    return claimNamesOf(now.object).map((claim) => `${namespace}/${claim}`)
  }

  reconcile(key: string): undefined {
    const claim = this.#claims.at(key)
    if (claim === undefined) return
    const name = metadataText(claim, 'name')
    // A pod without a node does not use its claims: the kubelet starts no pod with a claim that is being deleted.
    const isUsed = () =>
      this.#pods
        .list(metadataText(claim, 'namespace'))
        .some((pod) => nodeOf(pod) !== '' && claimNamesOf(pod).includes(name))
    protect(this.#claims, claim, { finalizer: claimFinalizer, isUsed })
  }
}

export class VolumeProtection implements ServerController {
  readonly name = 'persistentvolume-protection-controller'
  readonly #volumes: KindClient

  constructor(client: SystemClient) {
    this.#volumes = new KindClient(client, 'v1', 'PersistentVolume')
  }

  keysFor({ place, kind }: LogEntry): readonly string[] {
    return place.shelf === 'persistentvolumes' && kind !== 'deleted' ? [place.name] : []
  }

  reconcile(name: string): undefined {
    const volume = this.#volumes.get('', name)
    if (volume === undefined) return
    const isUsed = () => textAt(structAt(volume, 'status'), 'phase') === 'Bound'
    protect(this.#volumes, volume, { finalizer: volumeFinalizer, isUsed })
  }
}

function protect(
  client: KindClient,
  object: JsonObject,
  { finalizer, isUsed }: { readonly finalizer: string; readonly isUsed: () => boolean },
): void {
  const finalizers = finalizersOf(object)
  const isProtected = finalizers.includes(finalizer)
  if (isTerminating(object) ? !isProtected || isUsed() : isProtected) return
  const left = isTerminating(object) ? finalizers.filter((one) => one !== finalizer) : [...finalizers, finalizer]
  client.update(object, (live) => withMetadata(live, { finalizers: left.length === 0 ? undefined : left }))
}
