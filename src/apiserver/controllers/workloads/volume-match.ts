// Does a volume satisfy a claim, and which one does so best? The smallest that is free, or one that is kept for the claim.
// Source: k8s.io/component-helpers/storage/volume, k8s.io/kubernetes/pkg/controller/volume/persistentvolume/index.go.
import type { JsonObject } from '../../../base/json.ts'
import { compareQuantities, parseQuantity } from '../../../object/quantity.ts'
import { mapAt, structAt, structIn, textAt, textsAt, valueAt } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { isTerminating, labelsOf, metadataOf, metadataText } from '../../metadata.ts'

/** Ours, and the one that controller managers of tests stand in for. */
const provisioners: ReadonlySet<string> = new Set(['konverge.dev/local', 'kubernetes.io/host-path'])

/** Do we make and expand the volumes of this provisioner, as it would? */
export function isOwnProvisioner(provisioner: string): boolean {
  return provisioners.has(provisioner)
}

/** The claim's class; an old annotation comes before the field. */
export function classNameOf(claimOrVolume: JsonObject): string {
  const old = textAt(mapAt(metadataOf(claimOrVolume), 'annotations'), 'volume.beta.kubernetes.io/storage-class')
  return old === '' ? textAt(structAt(claimOrVolume, 'spec'), 'storageClassName') : old
}

export function capacityOf(volume: JsonObject): string {
  return textAt(structIn(volume, 'spec', 'capacity'), 'storage')
}

export function requestOf(claim: JsonObject): string {
  return textAt(structIn(claim, 'spec', 'resources', 'requests'), 'storage')
}

/** Is `left` the smaller amount? */
export function isSmaller(left: string, right: string): boolean {
  const [first, second] = [parseQuantity(left), parseQuantity(right)]
  return first !== undefined && second !== undefined && compareQuantities(first, second) < 0
}

export function isKeptFor(volume: JsonObject, claim: JsonObject): boolean {
  const reference = structIn(volume, 'spec', 'claimRef')
  if (reference === undefined) return false
  const uid = textAt(reference, 'uid')
  return (
    textAt(reference, 'namespace') === metadataText(claim, 'namespace') &&
    textAt(reference, 'name') === metadataText(claim, 'name') &&
    (uid === '' || uid === metadataText(claim, 'uid'))
  )
}

export function bestVolume(
  claim: JsonObject,
  volumes: readonly JsonObject[],
  waitsForConsumer: boolean,
): JsonObject | undefined {
  const fitting = volumes.filter((volume) => mismatchOf(volume, claim) === undefined)
  const kept = fitting.find((volume) => isKeptFor(volume, claim))
  if (kept !== undefined || waitsForConsumer) return kept
  const selector = structIn(claim, 'spec', 'selector')
  const matcher = selector === undefined ? undefined : LabelMatcher.of(selector)
  return fitting
    .filter(
      (volume) =>
        structIn(volume, 'spec', 'claimRef') === undefined &&
        textAt(structAt(volume, 'status'), 'phase') === 'Available' &&
        !isTerminating(volume) &&
        (selector === undefined || matcher?.matches(labelsOf(volume)) === true),
    )
    .reduce<JsonObject | undefined>(
      (best, volume) => (best === undefined || isSmaller(capacityOf(volume), capacityOf(best)) ? volume : best),
      undefined,
    )
}

/** Why a volume cannot serve a claim; undefined if it can. */
export function mismatchOf(volume: JsonObject, claim: JsonObject): string | undefined {
  const [has, wants] = [structAt(volume, 'spec'), structAt(claim, 'spec')]
  if (isSmaller(capacityOf(volume), requestOf(claim))) return 'requested PV is too small'
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match'
  if ((valueAt(has, 'volumeMode') ?? 'Filesystem') !== (valueAt(wants, 'volumeMode') ?? 'Filesystem'))
    return 'incompatible volumeMode'
  const modes = textsAt(has, 'accessModes')
  return textsAt(wants, 'accessModes').every((mode) => modes.includes(mode)) ? undefined : 'incompatible accessMode'
}
