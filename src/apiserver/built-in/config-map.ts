// Kind ConfigMap. Sources: k8s.io/kubernetes/pkg/registry/core/configmap, pkg/apis/core/{v1,validation}.
import type { JsonObject } from '../../base/json.ts'
import { invalid, tooLong } from '../field-error.ts'
import { byteLength, configKeyFaults, dnsSubdomainName } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { bytesOf, frozenDataErrors, maxDataBytes } from './config-data.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import { type FieldErrors, mapAt } from './field-walk.ts'
import { type KindRules, usualRules } from './kind-rules.ts'

export const configMapRules: KindRules = {
  ...usualRules,
  validateCreate,
  validateUpdate: (map, old) => [
    ...validateCoreMetadataUpdate(mapAt(map, 'metadata'), mapAt(old, 'metadata')),
    ...frozenDataErrors(map, old, ['data', 'binaryData']),
    ...validateCreate(map),
  ],
}

function validateCreate(map: JsonObject): FieldErrors {
  const [data, binary] = [mapAt(map, 'data'), mapAt(map, 'binaryData')]
  const texts = Object.values(data).reduce<number>((sum, text) => sum + byteLength(String(text ?? '')), 0)
  const bytes = Object.values(binary).reduce<number>((sum, value) => sum + bytesOf(value).length, 0)
  return [
    ...validateCoreMetadata(mapAt(map, 'metadata'), { isNamespaced: true, validateName: dnsSubdomainName }),
    ...Object.keys(data).flatMap((key) => [
      ...invalids(`data[${key}]`, key, configKeyFaults(key)),
      ...(Object.hasOwn(binary, key) ? [invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')] : []),
    ]),
    ...Object.keys(binary).flatMap((key) => invalids(`binaryData[${key}]`, key, configKeyFaults(key))),
    // The error names the whole object.
    ...(texts + bytes > maxDataBytes ? [tooLong('[]', maxDataBytes)] : []),
  ]
}
