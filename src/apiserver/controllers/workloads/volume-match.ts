// Match of volumes and claims: the smallest unclaimed volume that satisfies a claim, or one that is reserved for the
// claim.
// Source: k8s.io/component-helpers/storage/volume, k8s.io/kubernetes/pkg/controller/volume/persistentvolume/index.go.
import type { JsonObject } from '../../../base/json.ts'
import { compareQuantities, parseQuantity } from '../../../object/quantity.ts'
import { mapAt, structAt, structIn, textAt, textsAt, valueAt } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { isTerminating, labelsOf, metadataOf, metadataText } from '../../metadata.ts'

/** konverge's provisioner, and the one that test controller managers emulate. */
const provisioners: ReadonlySet<string> = new Set(['konverge.dev/local', 'kubernetes.io/host-path'])

/** True if this server creates and expands the volumes of the provisioner. */
export function isOwnProvisioner(provisioner: string): boolean {
  return provisioners.has(provisioner)
}

/** Returns the class name; the deprecated annotation takes precedence over the field. */
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

/** True if `left` is the smaller quantity. */
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

/** Returns the reason why a volume does not satisfy a claim; undefined if it does. */
export function mismatchOf(volume: JsonObject, claim: JsonObject): string | undefined {
  const [has, wants] = [structAt(volume, 'spec'), structAt(claim, 'spec')]
  if (isSmaller(capacityOf(volume), requestOf(claim))) return 'requested PV is too small'
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match'
  if ((valueAt(has, 'volumeMode') ?? 'Filesystem') !== (valueAt(wants, 'volumeMode') ?? 'Filesystem'))
    return 'incompatible volumeMode'
  const modes = textsAt(has, 'accessModes')
  return textsAt(wants, 'accessModes').every((mode) => modes.includes(mode)) ? undefined : 'incompatible accessMode'
}
