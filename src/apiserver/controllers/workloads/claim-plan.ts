// Decisions of the volume binder: the next step of an unbound claim, of a bound claim and of a volume.
// Source: k8s.io/kubernetes/pkg/controller/volume/persistentvolume/pv_controller.go.
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, structAt, structIn, textAt, valueAt } from '../../built-in/field-walk.ts'
import { metadataOf, metadataText } from '../../metadata.ts'
import type { Report } from './event-recorder.ts'
import { bestVolume, classNameOf, isKeptFor, mismatchOf } from './volume-match.ts'

export type ClaimStep =
  | { readonly kind: 'bind'; readonly volume: JsonObject }
  | { readonly kind: 'provision'; readonly storageClass: JsonObject }
  | { readonly kind: 'setClass'; readonly name: string }
  | { readonly kind: 'wait'; readonly report: Report | undefined }
  | { readonly kind: 'lose'; readonly report: Report }

export interface ClaimFacts {
  readonly claim: JsonObject
  readonly volumes: readonly JsonObject[]
  readonly classes: readonly JsonObject[]
  /** True if this server creates the volumes of the provisioner. */
  readonly isOurs: (provisioner: string) => boolean
}

export const bindCompleted = 'pv.kubernetes.io/bind-completed'
export const boundByController = 'pv.kubernetes.io/bound-by-controller'
const selectedNode = 'volume.kubernetes.io/selected-node'

export function claimStep(facts: ClaimFacts): ClaimStep {
  const { claim, volumes } = facts
  const volumeName = textAt(structAt(claim, 'spec'), 'volumeName')
  const wanted = volumes.find((volume) => metadataText(volume, 'name') === volumeName)
  if (annotationOf(claim, bindCompleted) !== '') return boundStep(claim, volumeName, wanted)
  if (volumeName === '') return unboundStep(facts)
  if (wanted === undefined) return waiting()
  if (structIn(wanted, 'spec', 'claimRef') === undefined) {
    const mismatch = mismatchOf(wanted, claim)
    if (mismatch === undefined) return { kind: 'bind', volume: wanted }
    return waiting('Warning', 'VolumeMismatch', `Cannot bind to requested volume "${volumeName}": ${mismatch}`)
  }
  if (isKeptFor(wanted, claim)) return { kind: 'bind', volume: wanted }
  return waiting('Warning', 'FailedBinding', `volume "${volumeName}" already bound to a different claim.`)
}

function boundStep(claim: JsonObject, volumeName: string, volume: JsonObject | undefined): ClaimStep {
  if (volumeName === '')
    return losing('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  if (volume === undefined)
    return losing('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  if (structIn(volume, 'spec', 'claimRef') === undefined || isKeptFor(volume, claim)) return { kind: 'bind', volume }
  return losing('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}

function unboundStep({ claim, volumes, classes, isOurs }: ClaimFacts): ClaimStep {
  const className = classNameOf(claim)
  const storageClass = classes.find((one) => metadataText(one, 'name') === className)
  const waits = textAt(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer'
  const hasConsumer = annotationOf(claim, selectedNode) !== ''
  const volume = bestVolume(claim, volumes, waits && !hasConsumer)
  if (volume !== undefined) return { kind: 'bind', volume }
  // Only a claim without the field gets the default class; '' asks for no class.
  if (className === '' && valueAt(structAt(claim, 'spec'), 'storageClassName') === undefined) {
    const name = defaultClass(classes)
    if (name !== undefined) return { kind: 'setClass', name }
  }
  if (waits && !hasConsumer)
    return waiting('Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
  if (className === '')
    return waiting(
      'Normal',
      'FailedBinding',
      'no persistent volumes available for this claim and no storage class is set',
    )
  if (storageClass === undefined)
    return waiting('Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${className}" not found`)
  const provisioner = textAt(storageClass, 'provisioner')
  if (isOurs(provisioner)) return { kind: 'provision', storageClass }
  if (provisioner === 'kubernetes.io/no-provisioner') return waiting()
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
  return waiting('Normal', 'ExternalProvisioning', message)
}

/** Returns the newest of the classes that are marked as default; of equally old ones the first by name. */
function defaultClass(classes: readonly JsonObject[]): string | undefined {
  const age = (one: JsonObject) => metadataText(one, 'creationTimestamp')
  const [first] = classes
    .filter((one) => annotationOf(one, 'storageclass.kubernetes.io/is-default-class') === 'true')
    .sort((left, right) => (age(left) > age(right) ? -1 : age(left) < age(right) ? 1 : 0))
  return first === undefined ? undefined : metadataText(first, 'name')
}

function waiting(type?: Report['type'], reason = '', message = ''): ClaimStep {
  return { kind: 'wait', report: type === undefined ? undefined : { type, reason, message } }
}

function losing(reason: string, message: string): ClaimStep {
  return { kind: 'lose', report: { type: 'Warning', reason, message } }
}

export type VolumeStep =
  | { readonly kind: 'phase'; readonly phase: 'Available' | 'Bound' | 'Released' }
  /** Deletes a volume after its release. */
  | { readonly kind: 'delete' }
  | { readonly kind: 'none' }

/** `claim` is the claim that the volume's claimRef names. */
export function volumeStep(volume: JsonObject, claim: JsonObject | undefined): VolumeStep {
  const reference = structIn(volume, 'spec', 'claimRef')
  if (reference === undefined || textAt(reference, 'uid') === '') return { kind: 'phase', phase: 'Available' }
  const isThere = claim !== undefined && metadataText(claim, 'uid') === textAt(reference, 'uid')
  if (!isThere) {
    const isDeleted = textAt(structAt(volume, 'spec'), 'persistentVolumeReclaimPolicy') === 'Delete'
    const isProvisioned = annotationOf(volume, 'pv.kubernetes.io/provisioned-by') !== ''
    return isDeleted && isProvisioned ? { kind: 'delete' } : { kind: 'phase', phase: 'Released' }
  }
  const isBound = textAt(structAt(claim, 'spec'), 'volumeName') === metadataText(volume, 'name')
  return isBound ? { kind: 'phase', phase: 'Bound' } : { kind: 'none' }
}

export function annotationOf(object: JsonObject, key: string): string {
  return textAt(mapAt(metadataOf(object), 'annotations'), key)
}
