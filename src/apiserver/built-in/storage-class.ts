// Kind StorageClass. Sources: k8s.io/kubernetes/pkg/registry/storage/storageclass,
// pkg/apis/storage/{v1,validation}, pkg/api/storage/util.go.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { duplicate, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { byteLength, dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids, validateImmutable } from '../object-meta.ts'
import { validateOptionalChoice } from './choice-rules.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  optionalTextAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withDefaults,
} from './field-walk.ts'
import { type KindRules, usualRules } from './kind-rules.ts'
import { validateTopologySelectorTerm } from './node-selector.ts'
import { deprecatedLabelText } from './pod-warnings.ts'

const maxParameters = 512
const maxParameterBytes = 256 * 1024

export const storageClassRules: KindRules = {
  ...usualRules,
  setDefaults: (storage) => withDefaults(storage, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validateCreate,
  validateUpdate: (storage, old) => [
    ...validateCreate(storage),
    ...validateCoreMetadataUpdate(mapAt(storage, 'metadata'), mapAt(old, 'metadata')),
    ...['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((key) =>
      validateImmutable(valueAt(storage, key) ?? null, valueAt(old, key) ?? null, key),
    ),
  ],
  warningsOnCreate: labelWarnings,
  warningsOnUpdate: labelWarnings,
  returnsDeletedObject: true,
}

function validateCreate(storage: JsonObject): FieldErrors {
  const provisioner = textAt(storage, 'provisioner')
  const reclaim = textAt(storage, 'reclaimPolicy')
  const mode = optionalTextAt(storage, 'volumeBindingMode')
  return [
    ...validateCoreMetadata(mapAt(storage, 'metadata'), { isNamespaced: false, validateName: dnsSubdomainName }),
    ...(provisioner === ''
      ? [required('provisioner')]
      : invalids('provisioner', provisioner.toLowerCase(), labelKeyFaults(provisioner.toLowerCase()))),
    ...parametersErrors(mapAt(storage, 'parameters')),
    ...(reclaim === '' ? [] : validateOptionalChoice(reclaim, 'reclaimPolicy', ['Delete', 'Retain'])),
    ...(mode === undefined
      ? [required('volumeBindingMode')]
      : ['Immediate', 'WaitForFirstConsumer'].includes(mode)
        ? []
        : [notSupported('volumeBindingMode', mode, ['Immediate', 'WaitForFirstConsumer'])]),
    ...topologiesErrors(structsAt(storage, 'allowedTopologies')),
  ]
}

function parametersErrors(parameters: JsonObject): FieldErrors {
  const entries = Object.entries(parameters)
  if (entries.length > maxParameters) return [tooLong('parameters', maxParameters)]
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(String(value)), 0)
  return [
    ...entries.flatMap(([key]) => (key === '' ? [invalid('parameters', key, 'field can not be empty.')] : [])),
    ...(bytes > maxParameterBytes ? [tooLong('parameters', maxParameterBytes)] : []),
  ]
}

function topologiesErrors(terms: readonly JsonObject[]): FieldErrors {
  // The server compares each term with one empty term per existing term, and then with the preceding terms.
  const known: JsonObject[] = terms.map(() => ({}))
  return eachItem(terms, 'allowedTopologies', (term, path) => {
    const shape = shapeOf(term)
    const same = known.filter((other) => deepEqual(other, shape))
    known.push(shape)
    return [
      ...validateTopologySelectorTerm(term, path),
      ...same.map(() => duplicate(`${path}.matchLabelExpressions`, '')),
    ]
  })
}

/** Returns a term in a form that ignores the order of its parts. */
function shapeOf(term: JsonObject): JsonObject {
  return Object.fromEntries(
    structsAt(term, 'matchLabelExpressions').map((requirement) => [
      textAt(requirement, 'key'),
      [...new Set(textsAt(requirement, 'values'))].sort(),
    ]),
  )
}

function labelWarnings(storage: JsonObject): readonly string[] {
  return structsAt(storage, 'allowedTopologies').flatMap((term, index) =>
    structsAt(term, 'matchLabelExpressions').flatMap((requirement, at) => {
      const text = deprecatedLabelText(textAt(requirement, 'key'))
      return text === undefined ? [] : [`allowedTopologies[${index}].matchLabelExpressions[${at}].key: ${text}`]
    }),
  )
}
