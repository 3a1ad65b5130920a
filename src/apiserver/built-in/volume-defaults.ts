// Defaults of pod volumes; sources that operators rarely use are not served.
// Source: k8s.io/kubernetes/pkg/apis/core/v1 (defaults.go, zz_generated.defaults.go).
import type { JsonObject } from '../../base/json.ts'
import { claimSpecDefaults } from './claim-defaults.ts'
import { textAt, valueAt, withDefaults, withEmbedded, withItems, withStruct, withZeroDefaults } from './field-walk.ts'
import { imageTag } from './image-name.ts'

/** Mode 0644. */
const fileMode = 420
const tokenLifeSeconds = 3600

export function volumeDefaults(volume: JsonObject): JsonObject {
  const isSourceless = Object.keys(volume).every((key) => key === 'name' || valueAt(volume, key) === undefined)
  if (isSourceless) return { ...volume, emptyDir: {} }
  return Object.entries(sourceDefaults).reduce((result, [source, change]) => withStruct(result, source, change), volume)
}

/** Also for a PersistentVolume. */
export function hostPathDefaults(source: JsonObject): JsonObject {
  return withDefaults(source, { type: '' })
}

const sourceDefaults: Readonly<Record<string, (source: JsonObject) => JsonObject>> = {
  hostPath: hostPathDefaults,
  secret: withFileMode,
  configMap: withFileMode,
  downwardAPI: (source) => downwardItemsDefaults(withFileMode(source)),
  projected: (source) => withItems(withFileMode(source), 'sources', projectionDefaults),
  ephemeral: (source) =>
    withStruct(source, 'volumeClaimTemplate', (template) => withEmbedded(template, 'spec', claimSpecDefaults)),
  image: (source) => withZeroDefaults(source, { pullPolicy: pullPolicyOf(textAt(source, 'reference')) }),
}

function withFileMode(source: JsonObject): JsonObject {
  return withDefaults(source, { defaultMode: fileMode })
}

function projectionDefaults(projection: JsonObject): JsonObject {
  const downward = withStruct(projection, 'downwardAPI', downwardItemsDefaults)
  return withStruct(downward, 'serviceAccountToken', (token) =>
    withDefaults(token, { expirationSeconds: tokenLifeSeconds }),
  )
}

function downwardItemsDefaults(source: JsonObject): JsonObject {
  return withItems(source, 'items', (item) => withStruct(item, 'fieldRef', fieldRefDefaults))
}

export function fieldRefDefaults(reference: JsonObject): JsonObject {
  return withZeroDefaults(reference, { apiVersion: 'v1' })
}

/** Returns the default pull policy of an image. */
export function pullPolicyOf(image: string): string {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent'
}
