// Scale endpoint: a Scale of autoscaling/v1 as a view of the replicas, equal for all kinds that have replicas.
// Sources: k8s.io/kubernetes/pkg/registry/apps/*/storage,
// pkg/apis/autoscaling/validation, k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go.
import { isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { nonNegatives } from './built-in/count-rules.ts'
import { integerAt, mapAt, optionalIntegerAt, structAt, textAt, valueAt, withField } from './built-in/field-walk.ts'
import { newMetadataErrors } from './built-in/kind-rules.ts'
import { LabelMatcher } from './built-in/label-selector.ts'
import { dnsSubdomainName } from './name-rules.ts'
import { badRequest, conflict, internalError, invalidObject, noSuchPath } from './status-error.ts'
import type { Decoded, ScalePaths, ServedResource } from './strategy.ts'

const scaleMetadata = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']
/** Placeholder for missing replicas of a custom object, so that a patch can apply to it. */
const noReplicas = -(2 ** 31)

/** Returns the Scale. Throws StatusError: 500 for a custom object without replicas. */
export function readScale(resource: ServedResource, object: JsonObject): JsonObject {
  const paths = scalePathsOf(resource)
  if (resource.isCustom && replicasAt(object, paths.specReplicas) === undefined)
    throw internalError(`the spec replicas field "${pathText(paths)}" does not exist`)
  return scaleOf(paths, object)
}

/** Returns the Scale that a write starts from. Here a custom object may have no replicas yet. */
export function scaleToChange(resource: ServedResource, object: JsonObject): JsonObject {
  const paths = scalePathsOf(resource)
  const scale = scaleOf(paths, object)
  const isMissing = resource.isCustom && replicasAt(object, paths.specReplicas) === undefined
  return isMissing ? withField(scale, 'spec', { replicas: noReplicas }) : scale
}

/**
 * Returns the live object with the replicas and the resourceVersion of a Scale.
 * The write then conflicts if the object has changed.
 * Throws StatusError: 422 and 400 for an invalid Scale, 409 for one of another object.
 */
export function writtenScale(resource: ServedResource, live: JsonObject, scale: JsonObject): JsonObject {
  const { specReplicas } = scalePathsOf(resource)
  const resourceVersion = textAt(structAt(scale, 'metadata'), 'resourceVersion')
  if (resource.isCustom) refuseMissingReplicas(resource, scale)
  else refuseBadScale(resource, live, scale)
  const scaled = withValueAt(live, specReplicas, integerAt(structAt(scale, 'spec'), 'replicas'))
  if (resource.isCustom && resourceVersion === '') return scaled
  return withField(scaled, 'metadata', withField(mapAt(live, 'metadata'), 'resourceVersion', resourceVersion))
}

function scaleOf(paths: ScalePaths, object: JsonObject): JsonObject {
  const metadata = mapAt(object, 'metadata')
  const shown = scaleMetadata.flatMap((key): [string, Json][] => {
    const value = valueAt(metadata, key)
    return value === undefined ? [] : [[key, value]]
  })
  const replicas = replicasAt(object, paths.specReplicas) ?? 0
  const selector = selectorText(paths, object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(shown),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: replicasAt(object, paths.statusReplicas) ?? 0, ...(selector === '' ? {} : { selector }) },
  }
}

function scalePathsOf(resource: ServedResource): ScalePaths {
  if (resource.scale === undefined) throw noSuchPath()
  return resource.scale
}

function refuseMissingReplicas(resource: ServedResource, scale: JsonObject): void {
  if (integerAt(structAt(scale, 'spec'), 'replicas') === noReplicas)
    throw badRequest(`the spec replicas field "${pathText(scalePathsOf(resource))}" cannot be empty`)
}

function refuseBadScale({ group, plural }: ServedResource, live: JsonObject, scale: JsonObject): void {
  const metadata = mapAt(live, 'metadata')
  const name = textAt(metadata, 'name')
  const errors = [
    ...newMetadataErrors(scale, dnsSubdomainName),
    ...nonNegatives(structAt(scale, 'spec'), 'spec', ['replicas']),
  ]
  if (errors.length > 0) throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, name, errors)
  const [uid, wanted] = [textAt(metadata, 'uid'), textAt(structAt(scale, 'metadata'), 'uid')]
  if (wanted === '' || wanted === uid) return
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`
  throw conflict({ group, resource: `${plural}/scale` }, name, why)
}

function replicasAt(object: JsonObject, path: readonly string[]): number | undefined {
  const last = path.at(-1)
  const parent = path.slice(0, -1).reduce<JsonObject | undefined>(structAt, object)
  return last === undefined ? undefined : optionalIntegerAt(parent, last)
}

/** Returns the selector as text. Built-in kinds store a LabelSelector, custom kinds a text. */
function selectorText({ selector }: ScalePaths, object: JsonObject): string {
  if (selector === undefined) return ''
  const found = selector.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? own(value, key) : undefined),
    object,
  )
  if (typeof found === 'string') return found
  return LabelMatcher.of(isJsonObject(found) ? found : undefined)?.text ?? ''
}

function withValueAt(object: JsonObject, [key, ...rest]: readonly string[], value: Json): JsonObject {
  if (key === undefined) return object
  return withField(object, key, rest.length === 0 ? value : withValueAt(mapAt(object, key), rest, value))
}

function pathText({ specReplicas }: ScalePaths): string {
  return `.${specReplicas.join('.')}`
}

const scaleFields: Readonly<Record<string, readonly string[]>> = {
  '': ['kind', 'apiVersion', 'metadata', 'spec', 'status'],
  spec: ['replicas'],
  status: ['replicas', 'selector'],
}

/** Decodes a Scale; unknown fields become strict errors. Throws StatusError (400). */
export function decodeScale(scale: JsonObject): Decoded {
  const strictErrors = Object.entries(scaleFields).flatMap(([part, known]) => {
    const fields = part === '' ? scale : (own(scale, part) ?? {})
    const unknown = Object.keys(isJsonObject(fields) ? fields : {}).filter((name) => !known.includes(name))
    return unknown.map((name) => `unknown field "${part === '' ? name : `${part}.${name}`}"`)
  })
  const spec = own(scale, 'spec')
  const replicas = isJsonObject(spec) ? (own(spec, 'replicas') ?? 0) : 0
  if (typeof replicas === 'number' && Number.isInteger(replicas)) return { object: scale, strictErrors }
  const what = typeof replicas === 'object' ? 'object' : typeof replicas
  throw badRequest(
    `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${what} into Go struct field ScaleSpec.spec.replicas of type int32`,
  )
}
