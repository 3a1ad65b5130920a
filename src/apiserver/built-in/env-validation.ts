// Validation of environment variables: names and value sources.
// Sources: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, k8s.io/kubernetes/pkg/fieldpath.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { configKeyFaults, dns1123Label, dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { eachItem, type FieldErrors, noErrors, type Struct, structAt, textAt } from './field-walk.ts'
import { validatePathWithoutBacksteps } from './path-rules.ts'
import { validateResourceFieldRef } from './resource-field-ref.ts'

const printable = /^[ -~]+$/
const nameFault = "a valid environment variable name must consist only of printable ASCII characters other than '='"
const emptyNameFault = 'environment variable name must be non-empty'

/** Pod fields that an environment variable may use, in the order in which the server lists them. */
const envFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
/** All field paths of a pod. */
const knownFieldPaths = new Set([
  ...envFieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])

export function validateEnv(variables: readonly JsonObject[], field: string): FieldErrors {
  return eachItem(variables, field, (variable, path) => {
    const name = textAt(variable, 'name')
    return [
      ...(name === '' ? [required(`${path}.name`)] : invalids(`${path}.name`, name, envNameFaults(name))),
      ...valueFromErrors(variable, `${path}.valueFrom`),
    ]
  })
}

export function validateEnvFrom(sources: readonly JsonObject[], field: string): FieldErrors {
  return eachItem(sources, field, (source, path) => {
    const prefix = textAt(source, 'prefix')
    const references = ['configMapRef', 'secretRef'].filter((key) => structAt(source, key) !== undefined)
    return [
      ...(prefix === '' ? [] : invalids(`${path}.prefix`, prefix, envNameFaults(prefix))),
      ...references.flatMap((key) => nameErrors(structAt(source, key), `${path}.${key}`)),
      // The server reports the list here, not the item.
      ...countErrors(references.length, field, 'must specify one of: `configMapRef` or `secretRef`'),
    ]
  })
}

/** Validates a reference to a pod field; `expressions` are the allowed paths. */
export function validateFieldRef(reference: JsonObject, expressions: readonly string[], field: string): FieldErrors {
  const version = textAt(reference, 'apiVersion')
  const asked = textAt(reference, 'fieldPath')
  if (version === '') return [required(`${field}.apiVersion`)]
  if (asked === '') return [required(`${field}.fieldPath`)]
  const subscripted = splitSubscript(asked)
  const fault = referenceFault(version, asked, subscripted)
  if (fault !== undefined) return [invalid(`${field}.fieldPath`, asked, `error converting fieldPath: ${fault}`)]
  if (subscripted !== undefined) {
    const key =
      subscripted.path === 'metadata.annotations' ? subscripted.subscript.toLowerCase() : subscripted.subscript
    return invalids(field, key, labelKeyFaults(key))
  }
  // Deprecated name of the same field.
  const path = asked === 'spec.host' ? 'spec.nodeName' : asked
  return expressions.includes(path) ? noErrors : [notSupported(`${field}.fieldPath`, path, expressions)]
}

export function validateConfigKeySelector(selector: Struct, field: string): FieldErrors {
  const name = textAt(selector, 'name')
  const key = textAt(selector, 'key')
  return [
    ...invalids(`${field}.name`, name, dnsSubdomainName(name, false)),
    ...(key === '' ? [required(`${field}.key`)] : invalids(`${field}.key`, key, configKeyFaults(key))),
  ]
}

function valueFromErrors(variable: JsonObject, field: string): FieldErrors {
  const source = structAt(variable, 'valueFrom')
  if (source === undefined) return noErrors
  const present = Object.entries(sourceErrors).filter(([key]) => structAt(source, key) !== undefined)
  const errors = present.flatMap(([key, errorsOf]) => {
    const reference = structAt(source, key)
    return reference === undefined ? [] : errorsOf(reference, `${field}.${key}`)
  })
  const none = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
  if (present.length > 0 && textAt(variable, 'value') !== '')
    return [...errors, invalid(field, '', 'may not be specified when `value` is not empty')]
  return [...errors, ...countErrors(present.length, field, none)]
}

/** In the server's order. */
const sourceErrors: Readonly<Record<string, (reference: JsonObject, field: string) => FieldErrors>> = {
  fieldRef: (reference, field) => validateFieldRef(reference, envFieldPaths, field),
  resourceFieldRef: (reference, field) => validateResourceFieldRef(reference, field, 'own container'),
  configMapKeyRef: validateConfigKeySelector,
  secretKeyRef: validateConfigKeySelector,
  fileKeyRef: fileKeyErrors,
}

function fileKeyErrors(reference: JsonObject, field: string): FieldErrors {
  const [key, volume, path] = [textAt(reference, 'key'), textAt(reference, 'volumeName'), textAt(reference, 'path')]
  return [
    ...(key === '' ? [required(`${field}.key`)] : invalids(`${field}.key`, key, envNameFaults(key))),
    ...(volume === ''
      ? [required(`${field}.volumeName`)]
      : invalids(`${field}.volumeName`, volume, dns1123Label(volume))),
    ...(path === '' ? [required(`${field}.path`)] : validatePathWithoutBacksteps(path, `${field}.path`)),
  ]
}

function nameErrors(reference: Struct, field: string): FieldErrors {
  const name = textAt(reference, 'name')
  return name === '' ? [required(`${field}.name`)] : invalids(`${field}.name`, name, dnsSubdomainName(name, true))
}

function countErrors(count: number, field: string, none: string): readonly FieldError[] {
  if (count === 0) return [invalid(field, '', none)]
  return count === 1 ? [] : [invalid(field, '', 'may not have more than one field specified at a time')]
}

function envNameFaults(name: string): readonly string[] {
  if (name === '') return [emptyNameFault]
  return printable.test(name) && !name.includes('=') ? [] : [nameFault]
}

interface Subscripted {
  readonly path: string
  readonly subscript: string
}

/** Parses a path such as `metadata.labels['app']`. */
function splitSubscript(path: string): Subscripted | undefined {
  const start = path.indexOf("['")
  if (!path.endsWith("']") || start <= 0 || start > path.length - 4) return undefined
  return { path: path.slice(0, start), subscript: path.slice(start + 2, -2) }
}

function referenceFault(version: string, path: string, subscripted: Subscripted | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`
  if (subscripted !== undefined) {
    const isMap = subscripted.path === 'metadata.annotations' || subscripted.path === 'metadata.labels'
    return isMap ? undefined : `field label does not support subscript: ${path}`
  }
  return knownFieldPaths.has(path) || path === 'spec.host' ? undefined : `field label not supported: ${path}`
}
