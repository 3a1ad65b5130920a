// Volume binder: binds claims to volumes, provisions volumes for the supported provisioners, and releases or deletes
// volumes without a
// claim. Source: k8s.io/kubernetes/pkg/controller/volume/persistentvolume.

import type { Clock } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, structAt, structIn, textAt, textsAt, withField } from '../../built-in/field-walk.ts'
import { finalizersOf, isTerminating, metadataOf, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { annotationOf, bindCompleted, boundByController, claimStep, volumeStep } from './claim-plan.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient, keyOf } from './kind-client.ts'
import { capacityOf, classNameOf, isOwnProvisioner, requestOf } from './volume-match.ts'

const deletionProtection = 'kubernetes.io/pv-controller'

export class VolumeBinder implements ServerController {
  readonly name = 'persistentvolume-binder-controller'
  readonly #claims: KindClient
  readonly #volumes: KindClient
  readonly #classes: KindClient
  readonly #events: EventRecorder

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#claims = new KindClient(client, 'v1', 'PersistentVolumeClaim')
    this.#volumes = new KindClient(client, 'v1', 'PersistentVolume')
    this.#classes = new KindClient(client, 'storage.k8s.io/v1', 'StorageClass')
    this.#events = new EventRecorder({ client, clock, component: 'persistentvolume-controller' })
  }

  keysFor({ place, kind, now }: LogEntry): readonly string[] {
    const { shelf, namespace, name } = place
    if (shelf === 'persistentvolumeclaims') {
      const volume = textAt(structAt(now.object, 'spec'), 'volumeName')
      return [`${namespace}/${name}`, ...(volume === '' ? [] : [volume])]
    }
    if (shelf === 'persistentvolumes') {
      const reference = structIn(now.object, 'spec', 'claimRef')
      const claim = reference === undefined ? [] : [`${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`]
      // Any unbound claim may wait for an unclaimed volume.
      const waiting = reference === undefined && kind !== 'deleted' ? this.#waitingClaims() : []
      return [...(kind === 'deleted' ? [] : [name]), ...claim, ...waiting]
    }
    return shelf === 'storageclasses.storage.k8s.io' && kind !== 'deleted' ? this.#waitingClaims() : []
  }

  reconcile(key: string): undefined {
    if (key.includes('/')) this.#settleClaim(key)
    else this.#settleVolume(key)
  }

  #waitingClaims(): readonly string[] {
    return this.#claims
      .list()
      .filter((claim) => annotationOf(claim, bindCompleted) === '')
      .map(keyOf)
  }

  #settleClaim(key: string): void {
    const claim = this.#claims.at(key)
    if (claim === undefined) return
    const classes = this.#classes.list()
    const step = claimStep({ claim, volumes: this.#volumesFor(claim), classes, isOurs: isOwnProvisioner })
    switch (step.kind) {
      case 'bind':
        this.#bind(claim, step.volume)
        return
      case 'provision':
        this.#provision(claim, step.storageClass)
        return
      case 'setClass':
        this.#claims.update(claim, (live) => withSpecField(live, 'storageClassName', step.name))
        return
      case 'wait':
        if (step.report !== undefined && !isTerminating(claim)) this.#events.record(claim, step.report)
        this.#setPhase(claim, 'Pending')
        return
      case 'lose':
        if (textAt(structAt(claim, 'status'), 'phase') === 'Lost') return
        this.#setPhase(claim, 'Lost')
        this.#events.record(claim, step.report)
    }
  }

  /**
   * Order as in the real controller: the volume's claimRef, the volume's phase, the claim's volumeName, the claim's
   * phase.
   */
  #bind(claim: JsonObject, found: JsonObject): void {
    const reference = structIn(found, 'spec', 'claimRef')
    const volume =
      textAt(reference, 'uid') === metadataText(claim, 'uid')
        ? found
        : this.#volumes.update(found, (live) => claimed(live, claim, reference === undefined))
    this.#setVolumePhase(volume, 'Bound')
    const bound = this.#claims.update(claim, (live) => boundTo(live, metadataText(volume, 'name')))
    this.#claims.updateStatus(bound, (live) => withBoundStatus(live, volume))
  }

  #provision(claim: JsonObject, storageClass: JsonObject): void {
    const provisioner = textAt(storageClass, 'provisioner')
    const annotated = this.#claims.update(claim, (live) =>
      withAnnotations(live, {
        'volume.beta.kubernetes.io/storage-provisioner': provisioner,
        'volume.kubernetes.io/storage-provisioner': provisioner,
      }),
    )
    const name = `pvc-${metadataText(claim, 'uid')}`
    if (this.#volumes.get('', name) !== undefined) return
    this.#volumes.create('', provisionedVolume(annotated, storageClass, name))
    const message = `Successfully provisioned volume ${name} using ${provisioner}`
    this.#events.normal(annotated, 'ProvisioningSucceeded', message)
  }

  #volumesFor(claim: JsonObject): readonly JsonObject[] {
    const named = this.#volumes.get('', textAt(structAt(claim, 'spec'), 'volumeName'))
    return [...this.#volumes.volumesFor(keyOf(claim)), ...(named === undefined ? [] : [named])]
  }

  #settleVolume(name: string): void {
    const volume = this.#volumes.get('', name)
    if (volume === undefined) return
    const reference = structIn(volume, 'spec', 'claimRef')
    const claim = this.#claims.get(textAt(reference, 'namespace'), textAt(reference, 'name'))
    const step = volumeStep(volume, claim)
    switch (step.kind) {
      case 'phase':
        this.#setVolumePhase(volume, step.phase)
        return
      case 'delete':
        this.#setVolumePhase(volume, 'Released')
        this.#volumes.delete(volume)
        this.#removeProtection(volume)
        return
      case 'none':
        return
    }
  }

  #removeProtection(volume: JsonObject): void {
    const live = this.#volumes.get('', metadataText(volume, 'name'))
    if (live === undefined || !finalizersOf(live).includes(deletionProtection)) return
    const left = finalizersOf(live).filter((finalizer) => finalizer !== deletionProtection)
    this.#volumes.update(live, (now) => withMetadata(now, { finalizers: left.length === 0 ? undefined : left }))
  }

  #setPhase(claim: JsonObject, phase: 'Pending' | 'Lost'): void {
    this.#claims.updateStatus(claim, (live) => {
      const { accessModes: _, capacity: __, ...status } = mapAt(live, 'status')
      return { ...live, status: { ...status, phase } }
    })
  }

  #setVolumePhase(volume: JsonObject, phase: string): void {
    if (textAt(structAt(volume, 'status'), 'phase') === phase) return
    this.#volumes.updateStatus(volume, (live) => ({ ...live, status: { ...mapAt(live, 'status'), phase } }))
  }
}

function claimed(volume: JsonObject, claim: JsonObject, isByUs: boolean): JsonObject {
  const referenced = withSpecField(volume, 'claimRef', referenceTo(claim))
  return isByUs ? withAnnotations(referenced, { [boundByController]: 'yes' }) : referenced
}

function boundTo(claim: JsonObject, volumeName: string): JsonObject {
  const isNew = textAt(structAt(claim, 'spec'), 'volumeName') !== volumeName
  const named = isNew
    ? withAnnotations(withSpecField(claim, 'volumeName', volumeName), { [boundByController]: 'yes' })
    : claim
  return annotationOf(claim, bindCompleted) === '' ? withAnnotations(named, { [bindCompleted]: 'yes' }) : named
}

/** A bound claim keeps its capacity, which follows the volume's only after the file system is resized. */
function withBoundStatus(claim: JsonObject, volume: JsonObject): JsonObject {
  const status = mapAt(claim, 'status')
  const accessModes = textsAt(structAt(volume, 'spec'), 'accessModes')
  const capacity = textAt(status, 'phase') === 'Bound' ? status['capacity'] : { storage: capacityOf(volume) }
  return {
    ...claim,
    status: { ...status, phase: 'Bound', accessModes, ...(capacity === undefined ? {} : { capacity }) },
  }
}

function provisionedVolume(claim: JsonObject, storageClass: JsonObject, name: string): JsonObject {
  const provisioner = textAt(storageClass, 'provisioner')
  const policy = textAt(storageClass, 'reclaimPolicy') || 'Delete'
  return {
    metadata: {
      name,
      annotations: {
        'kubernetes.io/createdby': 'hostpath-dynamic-provisioner',
        'pv.kubernetes.io/bound-by-controller': 'yes',
        'pv.kubernetes.io/provisioned-by': provisioner,
      },
      ...(policy === 'Delete' ? { finalizers: [deletionProtection] } : {}),
    },
    spec: {
      capacity: { storage: requestOf(claim) },
      accessModes: textsAt(structAt(claim, 'spec'), 'accessModes'),
      persistentVolumeReclaimPolicy: policy,
      storageClassName: classNameOf(claim),
      hostPath: { path: `/tmp/hostpath_pv/${metadataText(claim, 'uid')}`, type: '' },
      claimRef: referenceTo(claim),
    },
  }
}

function referenceTo(claim: JsonObject): JsonObject {
  return {
    kind: 'PersistentVolumeClaim',
    namespace: metadataText(claim, 'namespace'),
    name: metadataText(claim, 'name'),
    uid: metadataText(claim, 'uid'),
    apiVersion: 'v1',
    resourceVersion: metadataText(claim, 'resourceVersion'),
  }
}

function withSpecField(object: JsonObject, key: string, value: JsonObject | string): JsonObject {
  return withField(object, 'spec', withField(mapAt(object, 'spec'), key, value))
}

function withAnnotations(object: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject {
  return withMetadata(object, { annotations: { ...mapAt(metadataOf(object), 'annotations'), ...annotations } })
}
