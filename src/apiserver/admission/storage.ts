// Admission of storage: default class of claims, protection of storage in use, resize of claims.
// Sources: k8s.io/kubernetes/plugin/pkg/admission/storage/{storageclass/setdefault,storageobjectinuseprotection,
// persistentvolume/resize}, pkg/volume/util/storageclass.go.
import type { JsonObject } from '../../base/json.ts'
import { compareQuantities } from '../../object/quantity.ts'
import {
  isTrueAt,
  mapAt,
  optionalTextAt,
  type Struct,
  structIn,
  textAt,
  textsAt,
  valueAt,
  withEmbedded,
  withField,
} from '../built-in/field-walk.ts'
import { quantityOf } from '../built-in/resource-requirements.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { refusal } from './namespace-lifecycle.ts'

const shelf = 'storageclasses.storage.k8s.io'
const claimClassAnnotation = 'volume.beta.kubernetes.io/storage-class'
const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]
const protectionFinalizers: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
}

export const defaultStorageClass: AdmissionPlugin = {
  mutate: (request) => {
    const { object, operation, world } = request
    if (!isClaim(request) || operation !== 'CREATE' || classOf(object) !== undefined) return object
    const name = defaultClassName(world)
    return name === undefined
      ? object
      : withEmbedded(object, 'spec', (spec) => withField(spec, 'storageClassName', name))
  },
}

/** Adds the finalizer that a controller removes once the storage is unused. */
export const storageProtection: AdmissionPlugin = {
  mutate: ({ object, operation, resource, subresource }) => {
    const finalizer = protectionFinalizers[resource.plural]
    if (finalizer === undefined || resource.group !== '' || subresource !== '' || operation !== 'CREATE') return object
    return withEmbedded(object, 'metadata', (metadata) => {
      const finalizers = textsAt(metadata, 'finalizers')
      return finalizers.includes(finalizer) ? metadata : withField(metadata, 'finalizers', [...finalizers, finalizer])
    })
  },
}

/** Rejects growth of a claim that is not bound, or whose class does not allow it. */
export const claimResize: AdmissionPlugin = {
  validate: (request) => {
    const { object, old, operation } = request
    if (!isClaim(request) || operation !== 'UPDATE') return
    if (compareQuantities(sizeOf(object), sizeOf(old)) <= 0) return
    if (textAt(mapAt(old ?? {}, 'status'), 'phase') !== 'Bound')
      throw refusal(request, 'Only bound persistent volume claims can be expanded')
    const name = classOf(object) ?? ''
    const storage = request.world.get({ shelf, namespace: '', name })?.object
    const isSame = name !== '' && name === classOf(old)
    if (!isSame || !isTrueAt(storage, 'allowVolumeExpansion'))
      throw refusal(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
  },
}

function isClaim({ resource, subresource }: AdmissionRequest): boolean {
  return resource.group === '' && resource.plural === 'persistentvolumeclaims' && subresource === ''
}

function classOf(claim: Struct): string | undefined {
  const annotations = structIn(claim, 'metadata', 'annotations')
  return (
    optionalTextAt(annotations, claimClassAnnotation) ?? optionalTextAt(structIn(claim, 'spec'), 'storageClassName')
  )
}

function sizeOf(claim: Struct): ReturnType<typeof quantityOf> {
  return quantityOf(valueAt(structIn(claim, 'spec', 'resources', 'requests'), 'storage'))
}

/** Returns the newest default class; of equally new ones, the first by name. */
function defaultClassName(world: AdmissionRequest['world']): string | undefined {
  const defaults = world
    .list(shelf)
    .map(({ object }) => mapAt(object, 'metadata'))
    .filter((metadata) => defaultAnnotations.some((key) => textAt(mapAt(metadata, 'annotations'), key) === 'true'))
  const newest = defaults.reduce<JsonObject | undefined>(
    (best, metadata) => (best === undefined || isBefore(metadata, best) ? metadata : best),
    undefined,
  )
  return newest === undefined ? undefined : textAt(newest, 'name')
}

function isBefore(metadata: JsonObject, other: JsonObject): boolean {
  const [created, otherCreated] = [textAt(metadata, 'creationTimestamp'), textAt(other, 'creationTimestamp')]
  return created === otherCreated ? textAt(metadata, 'name') < textAt(other, 'name') : created > otherCreated
}
