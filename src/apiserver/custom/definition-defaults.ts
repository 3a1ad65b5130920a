// Defaults of CustomResourceDefinitions.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go.
import type { JsonObject } from '../../base/json.ts'
import {
  isTrueAt,
  structAt,
  structsAt,
  textAt,
  textsAt,
  withEmbedded,
  withField,
  withZeroDefaults,
} from '../built-in/field-walk.ts'

/** Returns the definition with its defaults; the same reference if it has them all. */
export function withDefinitionDefaults(definition: JsonObject): JsonObject {
  const filled = withEmbedded(definition, 'spec', (spec) => withConversion(withEmbedded(spec, 'names', withNames)))
  const status = structAt(filled, 'status') ?? {}
  if (textsAt(status, 'storedVersions').length > 0) return filled
  const storage = storageVersionOf(filled)
  return storage === undefined ? filled : withField(filled, 'status', withField(status, 'storedVersions', [storage]))
}

/** Returns the name of the storage version; undefined if no version is marked. */
export function storageVersionOf(definition: JsonObject): string | undefined {
  const versions = structsAt(structAt(definition, 'spec'), 'versions')
  const storage = versions.find((version) => isTrueAt(version, 'storage'))
  return storage === undefined ? undefined : textAt(storage, 'name')
}

function withNames(names: JsonObject): JsonObject {
  const kind = textAt(names, 'kind')
  const lower = kind.toLowerCase()
  return withZeroDefaults(names, {
    ...(lower === '' ? {} : { singular: lower }),
    ...(kind === '' ? {} : { listKind: `${kind}List` }),
  })
}

function withConversion(spec: JsonObject): JsonObject {
  const conversion = structAt(spec, 'conversion')
  return conversion === undefined ? withField(spec, 'conversion', { strategy: 'None' }) : spec
}
