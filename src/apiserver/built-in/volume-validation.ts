// Validation of a pod's volumes: each has exactly one source. Sources that operators use are validated as the server
// does; others are
// not served. Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { dns1123Label, dnsSubdomainName } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { notServed } from '../status-error.ts'
import { pullPolicies, validateOptionalChoice, validateRequiredChoice } from './choice-rules.ts'
import { validateClaimTemplate } from './claim-validation.ts'
import { validateCsiDriver } from './csi-rules.ts'
import {
  eachItem,
  type FieldErrors,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { validatePathWithoutBacksteps } from './path-rules.ts'
import type { PodContext } from './pod-context.ts'
import { validateNonNegativeQuantity } from './resource-requirements.ts'
import { downwardFileErrors, fileModeErrors, keyToPathErrors, projectionErrors } from './volume-projection.ts'

/** Valid volumes by name; only these may be mounted. */
export type KnownVolumes = ReadonlyMap<string, JsonObject>

export interface CheckedVolumes {
  readonly known: KnownVolumes
  readonly errors: FieldErrors
}

export function validateVolumes(spec: JsonObject, field: string, context: PodContext): CheckedVolumes {
  const volumes = structsAt(spec, 'volumes')
  const known = new Map<string, JsonObject>()
  const errors: FieldError[] = []
  const ephemeralClaims = new Set(
    volumes
      .filter((volume) => structAt(volume, 'ephemeral') !== undefined)
      .map((volume) => `${context.podName ?? ''}-${textAt(volume, 'name')}`),
  )
  volumes.forEach((volume, index) => {
    const path = `${field}[${index}]`
    const name = textAt(volume, 'name')
    const found = [
      ...sourcesErrors(volume, path, context),
      ...(name === '' ? [required(`${path}.name`)] : invalids(`${path}.name`, name, dns1123Label(name))),
      ...(known.has(name) ? [duplicate(`${path}.name`, name)] : []),
    ]
    if (found.length === 0) known.set(name, volume)
    errors.push(...found, ...takenClaimErrors(volume, ephemeralClaims, path, context))
  })
  return { known, errors }
}

/** Also for a PersistentVolume. */
export function hostPathErrors(source: JsonObject, field: string): FieldErrors {
  const path = textAt(source, 'path')
  if (path === '') return [required(`${field}.path`)]
  return [
    ...validatePathWithoutBacksteps(path, `${field}.path`),
    ...validateOptionalChoice(optionalTextAt(source, 'type'), `${field}.type`, hostPathTypes),
  ]
}

/** Also for a PersistentVolume. */
export function nfsErrors(source: JsonObject, field: string): FieldErrors {
  const path = textAt(source, 'path')
  return [
    ...(textAt(source, 'server') === '' ? [required(`${field}.server`)] : []),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...(path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')]),
  ]
}

type SourceRule = (source: JsonObject, field: string, context: PodContext) => FieldErrors

/** In the server's order: the first source is validated, and each further one is rejected. */
const sourceRules: readonly (readonly [string, SourceRule])[] = [
  ['emptyDir', emptyDirErrors],
  ['hostPath', hostPathErrors],
  ['secret', (source, field) => filesErrors(source, 'secretName', field)],
  ['nfs', nfsErrors],
  ['persistentVolumeClaim', claimErrors],
  ['downwardAPI', downwardErrors],
  ['configMap', (source, field) => filesErrors(source, 'name', field)],
  ['projected', projectedErrors],
  ['csi', csiErrors],
  ['ephemeral', ephemeralErrors],
  ['image', imageErrors],
]
/** The real server misspells this name. */
const misspelt: Readonly<Record<string, string>> = { downwardAPI: 'downwarAPI' }
const servedSources = new Set(sourceRules.map(([name]) => name))
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

function sourcesErrors(volume: JsonObject, field: string, context: PodContext): FieldErrors {
  refuseUnserved(volume, field)
  const present = sourceRules.filter(([name]) => structAt(volume, name) !== undefined)
  if (present.length === 0) return [required(field, 'must specify a volume type')]
  const errors = present.flatMap(([name, rule], index) => {
    const source = structAt(volume, name)
    if (source === undefined) return []
    return index === 0
      ? rule(source, `${field}.${name}`, context)
      : [forbidden(`${field}.${misspelt[name] ?? name}`, 'may not specify more than 1 volume type')]
  })
  const isEphemeral = present[0]?.[0] === 'ephemeral'
  return isEphemeral ? [...errors, ...claimNameErrors(volume, field, context)] : errors
}

function refuseUnserved(volume: JsonObject, field: string): void {
  const unserved = Object.keys(volume).find(
    (key) => key !== 'name' && !servedSources.has(key) && valueAt(volume, key) !== undefined,
  )
  if (unserved !== undefined) throw notServed(`The volume source ${field}.${unserved}`)
}

function emptyDirErrors(source: JsonObject, field: string): FieldErrors {
  const isNegative = validateNonNegativeQuantity(valueAt(source, 'sizeLimit'), field).length > 0
  return isNegative ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : noErrors
}

/** Validates the keys of a Secret or a ConfigMap as files. */
function filesErrors(source: JsonObject, nameKey: string, field: string): FieldErrors {
  return [
    ...(textAt(source, nameKey) === '' ? [required(`${field}.${nameKey}`)] : []),
    ...fileModeErrors(optionalIntegerAt(source, 'defaultMode'), `${field}.defaultMode`),
    ...eachItem(structsAt(source, 'items'), `${field}.items`, keyToPathErrors),
  ]
}

function claimErrors(source: JsonObject, field: string): FieldErrors {
  return textAt(source, 'claimName') === '' ? [required(`${field}.claimName`)] : noErrors
}

function downwardErrors(source: JsonObject, field: string): FieldErrors {
  return [
    ...fileModeErrors(optionalIntegerAt(source, 'defaultMode'), `${field}.defaultMode`),
    ...structsAt(source, 'items').flatMap((file) => downwardFileErrors(file, field)),
  ]
}

function projectedErrors(source: JsonObject, field: string): FieldErrors {
  return [
    ...fileModeErrors(optionalIntegerAt(source, 'defaultMode'), `${field}.defaultMode`),
    ...projectionErrors(structsAt(source, 'sources'), field),
  ]
}

function csiErrors(source: JsonObject, field: string): FieldErrors {
  const secret: Struct = structAt(source, 'nodePublishSecretRef')
  const name = textAt(secret, 'name')
  return [
    ...validateCsiDriver(textAt(source, 'driver'), `${field}.driver`),
    ...(secret === undefined
      ? []
      : name === ''
        ? [required(`${field}.nodePublishSecretRef.name`)]
        : invalids(`${field}.name`, name, dnsSubdomainName(name, false))),
  ]
}

function ephemeralErrors(source: JsonObject, field: string): FieldErrors {
  const template = structAt(source, 'volumeClaimTemplate')
  const path = `${field}.volumeClaimTemplate`
  return template === undefined ? [required(path)] : validateClaimTemplate(template, path)
}

/** The claim of an ephemeral volume is named after the pod and the volume. */
function claimNameErrors(volume: JsonObject, field: string, { podName }: PodContext): FieldErrors {
  const name = textAt(volume, 'name')
  if (podName === undefined || podName === '' || name === '') return noErrors
  const claim = `${podName}-${name}`
  return dnsSubdomainName(claim, false).map((fault) =>
    invalid(`${field}.name`, name, `PVC name ${JSON.stringify(claim)}: ${fault}`),
  )
}

function takenClaimErrors(
  volume: JsonObject,
  ephemeralClaims: ReadonlySet<string>,
  field: string,
  { podName }: PodContext,
): FieldErrors {
  const claim = textAt(structAt(volume, 'persistentVolumeClaim'), 'claimName')
  if (podName === undefined || podName === '' || !ephemeralClaims.has(claim)) return noErrors
  const path = `${field}.persistentVolumeClaim.claimName`
  return [invalid(path, claim, 'must not reference a PVC that gets created for an ephemeral volume')]
}

function imageErrors(source: JsonObject, field: string, { isPod }: PodContext): FieldErrors {
  return [
    ...(isPod && textAt(source, 'reference') === '' ? [required(`${field}.reference`)] : []),
    ...validateRequiredChoice(textAt(source, 'pullPolicy'), `${field}.pullPolicy`, pullPolicies),
  ]
}
