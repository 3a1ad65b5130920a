// Output forms of objects: whole, partial metadata or table; single, in lists or in watch events.
// Whole objects are sent as the stored text, which makes lists fast.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/response.go and .../negotiation.
import type { Json, JsonObject } from '../base/json.ts'
import { wireJson } from '../base/wire-json.ts'
import { metadataOf } from './metadata.ts'
import { negotiated, notAcceptable, objectOffer, onlyAccepted } from './negotiation.ts'
import { type Committed, committedText } from './object-log.ts'
import type { ServedResource } from './strategy.ts'

export type Form = 'object' | 'partial' | 'table'

export interface OutputForm {
  readonly form: Form
  /** Version of meta.k8s.io for tables and partial metadata. */
  readonly version: string
  /** Part of the object that each table row contains. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  /** True for PartialObjectMetadataList, false for PartialObjectMetadata. */
  readonly isOfList?: boolean
  /** True after the first table of a watch, which sends the columns once. */
  readonly leavesOutColumns?: boolean
}

/** Returns the first form in the Accept header that the server offers. Throws StatusError (406) if there is none. */
export function outputFormOf(accept: string | undefined, includeObject: string | null): OutputForm {
  const include = includeObject === 'None' || includeObject === 'Object' ? includeObject : 'Metadata'
  const whole: OutputForm = { form: 'object', version: 'v1', includeObject: include }
  const accepted = negotiated(accept, objectOffer)
  if (accepted === undefined) throw onlyAccepted()
  const { conversion } = accepted
  if (conversion === undefined) return whole
  const { kind, version } = conversion
  if (kind === 'Table') return { form: 'table', version, includeObject: include }
  return { form: 'partial', version, includeObject: include, isOfList: kind.endsWith('List') }
}

/** Returns upstream's Go type of a kind, which error texts contain. */
function goTypeNameOf(resource: ServedResource): string {
  return resource.isCustom ? '*unstructured.Unstructured' : `*${packageOf(resource)}.${resource.kind}`
}

/** Returns the Go package of a group's internal types. */
export function packageOf({ group }: ServedResource): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? '')
}

/** Returns the object's text in the requested version. If the stored text fits, no tree is parsed. */
export function wholeText(resource: ServedResource, state: Committed, subresource = ''): string {
  if (resource.shown === undefined && isServedAsStored(resource, state)) return state.text
  const object = servedObject(resource, state, subresource)
  return object === state.object ? state.text : wireJson(object)
}

/** Returns the object as an endpoint shows it. Without a subresource, that is the form in watches too. */
export function servedObject(resource: ServedResource, state: Committed, subresource = ''): JsonObject {
  const live = liveObject(resource, state)
  return resource.shown?.(live, subresource) ?? live
}

/** Returns the object in the requested version, before `shown` changes it. */
export function liveObject(resource: ServedResource, state: Committed): JsonObject {
  if (resource.fromStored === undefined || isServedAsStored(resource, state)) return state.object
  const served = resource.fromStored(state.object)
  if (served === state.object) servedAsStored.set(state, resource)
  return served
}

/** Last resource that serves a state exactly as stored. The entry stays valid because both are immutable. */
const servedAsStored = new WeakMap<Committed, ServedResource>()

function isServedAsStored(resource: ServedResource, state: Committed): boolean {
  return resource.fromStored === undefined || servedAsStored.get(state) === resource
}

/** Returns the text of an answer with one object. */
export function oneText(resource: ServedResource, object: JsonObject, output: OutputForm, nowMs: number): string {
  if (output.form === 'object') return committedText(object) ?? wireJson(object)
  if (output.form === 'partial' && output.isOfList !== true) return wireJson(partial(object, output.version))
  if (output.form === 'partial')
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeNameOf(resource)})`,
    )
  return wireJson(
    table(resource, [object], { output, nowMs, metadata: { resourceVersion: metadataOf(object)['resourceVersion'] } }),
  )
}

export interface ListParts {
  readonly items: readonly Committed[]
  readonly metadata: JsonObject
  readonly nowMs: number
}

export function listText(resource: ServedResource, { items, metadata, nowMs }: ListParts, output: OutputForm): string {
  if (output.form === 'object') return wholeList(resource, items, metadata)
  const objects = items.map((state) => servedObject(resource, state))
  if (output.form === 'table') return wireJson(table(resource, objects, { output, nowMs, metadata }))
  if (output.isOfList !== true)
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${goTypeNameOf(resource)}List)`,
    )
  return wireJson({
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${output.version}`,
    metadata,
    // Upstream appends to a nil slice, so an empty list is null.
    items: objects.length === 0 ? null : objects.map((object) => partial(object, output.version)),
  })
}

/**
 * Returns a list of whole objects.
 * Items of built-in kinds omit kind and apiVersion. Custom kinds keep them and always have `continue`.
 */
function wholeList(resource: ServedResource, items: readonly Committed[], metadata: JsonObject): string {
  const apiVersion = apiVersionOf(resource)
  const typeMeta = `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  const texts = items.map((state) => {
    const text = wholeText(resource, state)
    return !resource.isCustom && text.startsWith(typeMeta) ? `{${text.slice(typeMeta.length)}` : text
  })
  const shown = resource.isCustom ? { continue: '', ...metadata } : metadata
  const head = `{"kind":${JSON.stringify(`${resource.kind}List`)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${wireJson(shown)}`
  return `${head},"items":[${texts.join(',')}]}`
}

export function apiVersionOf({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`
}

function partial(object: JsonObject, version: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: metadataOf(object) }
}

interface TableParts {
  readonly output: OutputForm
  readonly nowMs: number
  readonly metadata: JsonObject
}

export function table(resource: ServedResource, objects: readonly JsonObject[], parts: TableParts): JsonObject {
  const { output, nowMs, metadata } = parts
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${output.version}`,
    metadata,
    columnDefinitions: output.leavesOutColumns ? null : (resource.table.columns as unknown as readonly Json[]), // JSON.
    rows: objects.map((object) => ({
      // Cells come from the stored version, whatever version is served.
      cells: resource.table.cells(resource.toStored?.(object) ?? object, nowMs),
      ...(output.includeObject === 'None'
        ? { object: null }
        : { object: output.includeObject === 'Object' ? object : partial(object, output.version) }),
    })),
  }
}
