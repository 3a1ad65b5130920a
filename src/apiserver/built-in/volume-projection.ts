// Validation of projected volumes: keys of Secrets and ConfigMaps, pod fields, tokens.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateProjectionSources and its neighbours).
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { validateFieldRef } from './env-validation.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  noErrors,
  optionalIntegerAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { validateLocalPath } from './path-rules.ts'
import { validateResourceFieldRef } from './resource-field-ref.ts'

const maxMode = 0o777
const modeFault = 'must be a number between 0 and 0777 (octal), both inclusive'
const minTokenSeconds = 600
const maxTokenSeconds = 2 ** 32
/** Pod fields that a file may show, in the order in which the server lists them. */
const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

export function fileModeErrors(mode: number | undefined, field: string): FieldErrors {
  return mode === undefined || (mode >= 0 && mode <= maxMode) ? noErrors : [invalid(field, mode, modeFault)]
}

export function keyToPathErrors(item: JsonObject, field: string): FieldErrors {
  const path = textAt(item, 'path')
  return [
    ...(textAt(item, 'key') === '' ? [required(`${field}.key`)] : []),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(path, `${field}.path`),
    ...fileModeErrors(optionalIntegerAt(item, 'mode'), `${field}.mode`),
  ]
}

/** The server reports the volume here, not the item. */
export function downwardFileErrors(file: JsonObject, field: string): FieldErrors {
  const path = textAt(file, 'path')
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(path, `${field}.path`),
    ...downwardSourceErrors(file, field),
    ...fileModeErrors(optionalIntegerAt(file, 'mode'), `${field}.mode`),
  ]
}

export function projectionErrors(sources: readonly JsonObject[], field: string): FieldErrors {
  const taken = new Set<string>()
  return eachItem(sources, `${field}.sources`, (source, path) => {
    const present = projections.filter(({ key }) => structAt(source, key) !== undefined)
    return [
      ...present.flatMap(({ key, errorsOf }) => errorsOf(structAt(source, key), `${path}.${key}`, field, taken)),
      ...(present.length > 1 ? [forbidden(path, 'may not specify more than 1 volume type per source')] : []),
    ]
  })
}

function downwardSourceErrors(file: JsonObject, field: string): FieldErrors {
  const reference = structAt(file, 'fieldRef')
  const resource = structAt(file, 'resourceFieldRef')
  if (reference !== undefined)
    return [
      ...validateFieldRef(reference, volumeFieldPaths, `${field}.fieldRef`),
      ...(resource === undefined
        ? []
        : [invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')]),
    ]
  if (resource !== undefined) return validateResourceFieldRef(resource, `${field}.resourceFieldRef`, 'named container')
  return [required(field, 'one of fieldRef and resourceFieldRef is required')]
}

interface Projection {
  readonly key: string
  /** `whole` is the path of the projected volume, where the server reports conflicts between sources. */
  errorsOf(source: Struct, field: string, whole: string, taken: Set<string>): FieldErrors
}

/** In the server's order. */
const projections: readonly Projection[] = [
  { key: 'secret', errorsOf: filesErrors },
  { key: 'configMap', errorsOf: filesErrors },
  { key: 'downwardAPI', errorsOf: downwardErrors },
  { key: 'serviceAccountToken', errorsOf: tokenErrors },
]

function filesErrors(source: Struct, field: string, whole: string, taken: Set<string>): FieldErrors {
  const name = textAt(source, 'name')
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...eachItem(structsAt(source, 'items'), `${field}.items`, (item, path) => [
      ...keyToPathErrors(item, path),
      ...takenErrors(textAt(item, 'path'), name, whole, taken),
    ]),
  ]
}

function downwardErrors(source: Struct, field: string, whole: string, taken: Set<string>): FieldErrors {
  return structsAt(source, 'items').flatMap((file) => [
    ...downwardFileErrors(file, field),
    ...takenErrors(textAt(file, 'path'), textAt(file, 'path'), whole, taken),
  ])
}

function takenErrors(path: string, shown: string, whole: string, taken: Set<string>): readonly FieldError[] {
  if (path === '') return noErrors
  if (taken.has(path)) return [invalid(whole, shown, 'conflicting duplicate paths')]
  taken.add(path)
  return noErrors
}

function tokenErrors(source: Struct, field: string, whole: string): FieldErrors {
  const path = textAt(source, 'path')
  const seconds = integerAt(source, 'expirationSeconds')
  const shown = valueAt(source, 'expirationSeconds') ?? 0
  return [
    ...(seconds < minTokenSeconds
      ? [invalid(`${field}.expirationSeconds`, shown, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > maxTokenSeconds
      ? [invalid(`${field}.expirationSeconds`, shown, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(path === '' ? [required(`${whole}.path`)] : validateLocalPath(path, `${whole}.path`)),
  ]
}
