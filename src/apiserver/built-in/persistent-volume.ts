// Kind PersistentVolume, with the volume sources that operators use; other sources are not served.
// Sources: k8s.io/kubernetes/pkg/registry/core/persistentvolume, pkg/apis/core/validation, pkg/volume/validation.
import { posix } from 'node:path'
import type { Json, JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { dns1123Label, dns1123Subdomain, dnsSubdomainName } from '../name-rules.ts'
import { invalids, validateImmutable } from '../object-meta.ts'
import { notServed } from '../status-error.ts'
import type { StepContext } from '../strategy.ts'
import { validateAccessModes, validateVolumeMode } from './access-modes.ts'
import { validateChoice } from './choice-rules.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import { validateCsiDriver } from './csi-rules.ts'
import {
  type FieldErrors,
  mapAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withField,
  withoutField,
  withStruct,
} from './field-walk.ts'
import { type KindRules, keepField, statusIsReset, usualRules } from './kind-rules.ts'
import { validateNodeSelector } from './node-selector.ts'
import { validatePathWithoutBacksteps } from './path-rules.ts'
import { persistentVolumeDefaults } from './persistent-volume-defaults.ts'
import { nodeSelectorTermWarnings } from './pod-warnings.ts'
import { quantityOf, validatePositiveQuantity, wholeUnits } from './resource-requirements.ts'
import { semanticEqual } from './semantic-equality.ts'
import { hostPathErrors, nfsErrors } from './volume-validation.ts'

const mountAnnotation = 'volume.beta.kubernetes.io/mount-options'
const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  [mountAnnotation]: 'deprecated since v1.31; use "mountOptions" attribute instead',
}
/** In the server's order. */
const sources: readonly (readonly [string, (source: JsonObject, field: string) => FieldErrors])[] = [
  ['hostPath', hostPathErrors],
  ['nfs', nfsErrors],
  ['local', localErrors],
  ['csi', csiErrors],
]
const unserved = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flocker',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'storageos',
]
const secretRefs = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

export const persistentVolumeRules: KindRules = {
  ...usualRules,
  setDefaults: persistentVolumeDefaults,
  prepareForCreate: (volume, { timestamp }) =>
    withField(volume, 'status', { phase: 'Pending', lastPhaseTransitionTime: timestamp }),
  validateCreate: validateVolume,
  warningsOnCreate: volumeWarnings,
  prepareForUpdate: (volume, old) => keepField(volume, old, 'status'),
  validateUpdate: (volume, old) => [
    // The server validates the whole volume twice.
    ...validateVolume(volume),
    ...volumeErrors(volume),
    ...updateErrors(mapAt(volume, 'spec'), mapAt(old, 'spec')),
  ],
  warningsOnUpdate: volumeWarnings,
  resetFields: statusIsReset,
  status: {
    prepareForUpdate: (volume, old, context) =>
      withStruct(keepField(volume, old, 'spec'), 'status', (status) => timed(status, mapAt(old, 'status'), context)),
    validateUpdate: (volume, old) => [
      ...validateCoreMetadataUpdate(mapAt(volume, 'metadata'), mapAt(old, 'metadata')),
      ...(textAt(mapAt(volume, 'metadata'), 'resourceVersion') === '' ? [required('resourceVersion')] : []),
    ],
    warningsOnUpdate: () => [],
    resetFields: [['spec']],
  },
  returnsDeletedObject: true,
}

function validateVolume(volume: JsonObject): FieldErrors {
  return [...volumeErrors(volume), ...mountOptionErrors(volume)]
}

function volumeErrors(volume: JsonObject): FieldErrors {
  return [
    ...validateCoreMetadata(mapAt(volume, 'metadata'), { isNamespaced: false, validateName: dnsSubdomainName }),
    ...specErrors(mapAt(volume, 'spec')),
  ]
}

function specErrors(spec: JsonObject): FieldErrors {
  const className = textAt(spec, 'storageClassName')
  const reclaim = textAt(spec, 'persistentVolumeReclaimPolicy')
  return [
    ...(textsAt(spec, 'accessModes').length === 0 ? [required('spec.accessModes')] : []),
    ...validateAccessModes(spec, 'spec.accessModes'),
    ...capacityErrors(mapAt(spec, 'capacity')),
    ...(reclaim === ''
      ? []
      : validateChoice(reclaim, 'spec.persistentVolumeReclaimPolicy', ['Delete', 'Recycle', 'Retain'])),
    ...affinityErrors(structAt(spec, 'nodeAffinity')),
    ...sourcesErrors(spec),
    ...(className === '' ? [] : invalids('spec.storageClassName', className, dnsSubdomainName(className, false))),
    ...validateVolumeMode(spec, 'spec.volumeMode'),
    ...attributesErrors(spec),
  ]
}

function capacityErrors(capacity: JsonObject): FieldErrors {
  const names = Object.keys(capacity)
  const isPlain = names.length === 1 && names[0] === 'storage'
  const detail = 'supported values: "storage"'
  const unsupported: FieldError = {
    type: 'FieldValueNotSupported',
    field: 'spec.capacity',
    value: shown(capacity),
    detail,
  }
  return [
    ...(names.length === 0 ? [required('spec.capacity')] : []),
    ...(isPlain ? [] : [unsupported]),
    ...Object.entries(capacity).flatMap(([name, amount]) => {
      const units = wholeUnits(quantityOf(amount))
      const field = `spec.capacity[${name}]`
      return [
        ...(units < 0n ? [invalid(field, Number(units), 'must be a valid resource quantity')] : []),
        ...validatePositiveQuantity(amount, field),
      ]
    }),
  ]
}

function shown(capacity: JsonObject): Json {
  const names = Object.keys(capacity).sort()
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, capacity[name] ?? null]))
}

function affinityErrors(affinity: Struct): FieldErrors {
  if (affinity === undefined) return noErrors
  const selector = structAt(affinity, 'required')
  return selector === undefined
    ? [required('spec.nodeAffinity.required', 'must specify required node constraints')]
    : validateNodeSelector(selector, 'spec.nodeAffinity.required')
}

function sourcesErrors(spec: JsonObject): FieldErrors {
  const foreign = unserved.find((key) => valueAt(spec, key) !== undefined)
  if (foreign !== undefined) throw notServed(`The volume source spec.${foreign}`)
  const present = sources.filter(([key]) => structAt(spec, key) !== undefined)
  if (present.length === 0) return [required('spec', 'must specify a volume type')]
  const isRoot = posix.normalize(textAt(structAt(spec, 'hostPath'), 'path')) === '/'
  const isRecycled = textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
  const isLocal = present[0]?.[0] === 'local'
  return [
    ...present.flatMap(([key, errorsOf], index) =>
      index === 0
        ? errorsOf(structAt(spec, key) ?? {}, `spec.${key}`)
        : [forbidden(`spec.${key}`, 'may not specify more than 1 volume type')],
    ),
    ...(isLocal && structAt(spec, 'nodeAffinity') === undefined
      ? [required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : []),
    ...(isRoot && isRecycled
      ? [forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
  ]
}

function localErrors(source: JsonObject, field: string): FieldErrors {
  const path = textAt(source, 'path')
  return path === '' ? [required(`${field}.path`)] : validatePathWithoutBacksteps(path, `${field}.path`)
}

function csiErrors(source: JsonObject, field: string): FieldErrors {
  return [
    ...validateCsiDriver(textAt(source, 'driver'), `${field}.driver`),
    ...(textAt(source, 'volumeHandle') === '' ? [required(`${field}.volumeHandle`)] : []),
    ...secretRefs.flatMap((key) => {
      const reference = structAt(source, key)
      const [name, namespace] = [textAt(reference, 'name'), textAt(reference, 'namespace')]
      const path = `${field}.${key}`
      if (reference === undefined) return noErrors
      return [
        ...(name === '' ? [required(`${path}.name`)] : invalids(`${path}.name`, name, dns1123Subdomain(name))),
        ...(namespace === ''
          ? [required(`${path}.namespace`)]
          : invalids(`${path}.namespace`, namespace, dns1123Label(namespace))),
      ]
    }),
  ]
}

function attributesErrors(spec: JsonObject): FieldErrors {
  const name = optionalTextAt(spec, 'volumeAttributesClassName')
  const field = 'spec.volumeAttributesClassName'
  if (name === undefined) return noErrors
  return [
    ...(name === ''
      ? [required(field, 'an empty string is disallowed')]
      : invalids(field, name, dnsSubdomainName(name, false))),
    ...(structAt(spec, 'csi') === undefined
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : []),
  ]
}

function mountOptionErrors(volume: JsonObject): FieldErrors {
  const isMounted = Object.hasOwn(mapAt(mapAt(volume, 'metadata'), 'annotations'), mountAnnotation)
  const takesOptions = structIn(volume, 'spec', 'nfs') !== undefined
  return isMounted && !takesOptions
    ? [forbidden(`metadata.annotations.${mountAnnotation}`, 'may not specify mount options for this volume type')]
    : noErrors
}

function updateErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const sourceOf = (of: JsonObject): JsonObject => ({ ...Object.fromEntries(sources.map(([key]) => [key, of[key]])) })
  const isSame = semanticEqual(sourceOf(withoutNewSecret(spec, oldSpec)), sourceOf(oldSpec))
  const before = structAt(oldSpec, 'nodeAffinity')
  if (before !== undefined && !semanticEqual(before, structAt(spec, 'nodeAffinity')))
    throw notServed('A change of spec.nodeAffinity of a PersistentVolume')
  const [name, oldName] = [
    optionalTextAt(spec, 'volumeAttributesClassName'),
    optionalTextAt(oldSpec, 'volumeAttributesClassName'),
  ]
  return [
    // The real server appends a diff in its internal form; this server does not.
    ...(isSame
      ? []
      : [forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation\n')]),
    ...validateImmutable(valueAt(spec, 'volumeMode') ?? null, valueAt(oldSpec, 'volumeMode') ?? null, 'volumeMode'),
    ...(oldName !== undefined && name === undefined
      ? [forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')]
      : []),
  ]
}

/** `controllerExpandSecretRef` may be set later. */
function withoutNewSecret(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const isNew = valueAt(structAt(oldSpec, 'csi'), 'controllerExpandSecretRef') === undefined
  return isNew ? withStruct(spec, 'csi', (csi) => withoutField(csi, 'controllerExpandSecretRef')) : spec
}

/** Sets the start time of a new phase if the writer omits it. */
function timed(status: JsonObject, old: JsonObject, { timestamp }: StepContext): JsonObject {
  const [time, before] = [valueAt(status, 'lastPhaseTransitionTime'), valueAt(old, 'lastPhaseTransitionTime')]
  if (textAt(status, 'phase') === textAt(old, 'phase'))
    return time === undefined ? keepField(status, old, 'lastPhaseTransitionTime') : status
  return time === undefined || time === before ? withField(status, 'lastPhaseTransitionTime', timestamp) : status
}

function volumeWarnings(volume: JsonObject): readonly string[] {
  const annotations = mapAt(mapAt(volume, 'metadata'), 'annotations')
  const spec = mapAt(volume, 'spec')
  return [
    ...Object.entries(deprecatedAnnotations).flatMap(([key, text]) =>
      Object.hasOwn(annotations, key) ? [`metadata.annotations[${key}]: ${text}`] : [],
    ),
    ...(textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...structsAt(structIn(spec, 'nodeAffinity', 'required'), 'nodeSelectorTerms').flatMap((term, index) =>
      nodeSelectorTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, false),
    ),
  ]
}
