// Kind Secret, with the conversion of `stringData`.
// Sources: k8s.io/kubernetes/pkg/registry/core/secret, pkg/apis/core/{v1,validation}.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { parseWireJson, WireJsonError } from '../../base/wire-json.ts'
import { type FieldError, invalid, required, tooLong } from '../field-error.ts'
import { configKeyFaults, dnsSubdomainName } from '../name-rules.ts'
import { invalids, validateImmutable } from '../object-meta.ts'
import { bytesOf, frozenDataErrors, maxDataBytes } from './config-data.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  type FieldErrors,
  mapAt,
  noErrors,
  structAt,
  textAt,
  withField,
  withoutField,
  withZeroDefaults,
} from './field-walk.ts'
import { type KindRules, usualRules } from './kind-rules.ts'

const accountAnnotation = 'kubernetes.io/service-account.name'

export const secretRules: KindRules = {
  ...usualRules,
  setDefaults: (secret) => withoutPlainData(withZeroDefaults(secret, { type: 'Opaque' })),
  validateCreate,
  warningsOnCreate: tlsWarnings,
  prepareForUpdate: (secret, old) => withZeroDefaults(secret, { type: textAt(old, 'type') }),
  validateUpdate: (secret, old) => [
    ...validateCoreMetadataUpdate(mapAt(secret, 'metadata'), mapAt(old, 'metadata')),
    ...validateImmutable(textAt(secret, 'type'), textAt(old, 'type'), 'type'),
    ...frozenDataErrors(secret, old, ['data']),
    ...validateCreate(secret),
  ],
  warningsOnUpdate: tlsWarnings,
  selectableFields: (secret) => ({ type: textAt(secret, 'type') }),
}

/** `stringData` is write-only: its keys overwrite those of `data`. */
function withoutPlainData(secret: JsonObject): JsonObject {
  const plain = structAt(secret, 'stringData')
  if (plain === undefined) return withoutField(secret, 'stringData')
  const encoded = Object.entries(plain).map(([key, text]): [string, Json] => [
    key,
    Buffer.from(String(text ?? ''), 'utf8').toString('base64'),
  ])
  const data = Object.fromEntries([...Object.entries(mapAt(secret, 'data')), ...encoded])
  return withoutField(encoded.length === 0 ? secret : withField(secret, 'data', data), 'stringData')
}

function validateCreate(secret: JsonObject): FieldErrors {
  const data = mapAt(secret, 'data')
  const bytes = Object.values(data).reduce<number>((sum, value) => sum + bytesOf(value).length, 0)
  return [
    ...validateCoreMetadata(mapAt(secret, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName }),
    ...Object.keys(data).flatMap((key) => invalids(`data[${key}]`, key, configKeyFaults(key))),
    ...(bytes > maxDataBytes ? [tooLong('data', maxDataBytes)] : []),
    ...typeErrors(secret, data),
  ]
}

/** Validates the required keys of Kubernetes' Secret types. */
function typeErrors(secret: JsonObject, data: JsonObject): FieldErrors {
  const missing = (...keys: readonly string[]): readonly FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`))
  switch (textAt(secret, 'type')) {
    case 'kubernetes.io/service-account-token': {
      const account = textAt(mapAt(mapAt(secret, 'metadata'), 'annotations'), accountAnnotation)
      return account === '' ? [required(`metadata.annotations[${accountAnnotation}]`)] : noErrors
    }
    case 'kubernetes.io/dockercfg':
      return documentErrors(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return documentErrors(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth': {
      const errors = missing('username', 'password')
      return errors.length === 2 ? errors : noErrors
    }
    case 'kubernetes.io/ssh-auth':
      return bytesOf(data['ssh-privatekey']).length === 0 ? [required('data[ssh-privatekey]')] : noErrors
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default:
      return noErrors
  }
}

function documentErrors(data: JsonObject, key: string): FieldErrors {
  if (!Object.hasOwn(data, key)) return [required(`data[${key}]`)]
  const fault = documentFault(bytesOf(data[key]).toString('latin1'))
  return fault === undefined ? noErrors : [invalid(`data[${key}]`, '<secret contents redacted>', fault)]
}

/** Returns Go's message for bytes (one per character) that are no JSON object; null counts as an empty object. */
function documentFault(text: string): string | undefined {
  try {
    const { value } = parseWireJson(text)
    if (value === null || isJsonObject(value)) return undefined
    const kind = typeof value === 'boolean' ? 'bool' : typeof value === 'object' ? 'array' : typeof value
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
  } catch (thrown) {
    if (thrown instanceof WireJsonError) return thrown.message
    throw thrown
  }
}

/** Covers only the simplest of the server's checks of a certificate and its key. */
function tlsWarnings(secret: JsonObject): readonly string[] {
  if (textAt(secret, 'type') !== 'kubernetes.io/tls') return []
  const data = mapAt(secret, 'data')
  const isPem = (key: string): boolean => /-----BEGIN [^-]+-----/.test(bytesOf(data[key]).toString('latin1'))
  if (!isPem('tls.crt')) return ['tls: failed to find any PEM data in certificate input']
  return isPem('tls.key') ? [] : ['tls: failed to find any PEM data in key input']
}
