// Overlays: patches on the wire JSON of a construct, for fields without a property. `addJsonPatch` of generated
// constructs sees property names instead, and drops fields that they do not know.
import { ApiObject } from 'cdk8s'
import type { IConstruct } from 'constructs'
import { messageOf } from '../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation } from '../base/json-patch.ts'
import { pathOf } from './construct-path.ts'
import { SynthError } from './synth-errors.ts'
import { wireJson } from './wire-json.ts'

/** A patch on the wire JSON of an object. */
export type Overlay =
  /** RFC 6902. */
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  /** RFC 7396. */
  | { readonly type: 'merge'; readonly body: JsonObject }

const overlayMark = 'konverge.dev/overlay'

/**
 * Patches the wire JSON of an ApiObject, or of the default ApiObject of a construct. Overlays of one construct apply in
 * the given order. Overlays of an outer construct apply after those of an inner one, so the user of a construct wins.
 * Throws a SynthError of code `NotJson` if the patch is not JSON.
 *
 * @example overlay(service, { type: 'merge', body: { spec: { trafficDistribution: 'PreferClose' } } })
 */
export function overlay(scope: IConstruct, patch: Overlay): void {
  const constructPath = pathOf(scope)
  scope.node.addMetadata(
    overlayMark,
    wireJson(patch, { name: `construct ${constructPath}: its overlay`, constructPath }),
  )
}

/**
 * Returns all overlays of a tree, by the object that they patch, in the order of their application. `constructs` come
 * parents first.
 */
export function overlaysOf(constructs: readonly IConstruct[]): ReadonlyMap<ApiObject, readonly Overlay[]> {
  const overlays = new Map<ApiObject, Overlay[]>()
  for (const construct of constructs.toReversed()) {
    const marks = construct.node.metadata.filter((mark) => mark.type === overlayMark)
    if (marks.length === 0) continue
    const target = targetOf(construct)
    // Metadata is untyped; only overlay() writes this type, and it writes an Overlay.
    overlays.set(target, [...(overlays.get(target) ?? []), ...marks.map((mark) => mark.data as Overlay)])
  }
  return overlays
}

/**
 * Returns the object after its overlays. Throws a SynthError of code `OverlayFailed` that names the pointer without a
 * match.
 */
export function applyOverlays(object: JsonObject, overlays: readonly Overlay[], constructPath: string): JsonObject {
  let patched: Json = object
  for (const { type, body } of overlays) {
    try {
      patched = type === 'json' ? applyJsonPatch(patched, body) : applyMergePatch(patched, body)
    } catch (cause) {
      throw failed(
        constructPath,
        `the overlay does not fit: ${messageOf(cause)}; see the object with konverge preview`,
        cause,
      )
    }
  }
  if (!isJsonObject(patched)) throw failed(constructPath, 'the overlay replaced the whole object by something else')
  return patched
}

function targetOf(construct: IConstruct): ApiObject {
  try {
    return ApiObject.of(construct)
  } catch (cause) {
    const problem = 'has no default ApiObject for an overlay; call overlay() on the ApiObject itself'
    throw new SynthError({
      code: 'OverlayFailed',
      message: `construct ${pathOf(construct)} ${problem}`,
      constructPath: pathOf(construct),
      cause,
    })
  }
}

function failed(constructPath: string, problem: string, cause?: unknown): SynthError {
  return new SynthError({
    code: 'OverlayFailed',
    message: `construct ${constructPath}: ${problem}`,
    constructPath,
    cause,
  })
}
