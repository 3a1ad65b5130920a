// Interaction of kubectl's server-side apply with its client-side apply.
// The annotation with the last configuration is kept up to date, and its fields may be taken over.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal (lastapplied.go, lastappliedmanager.go,
// lastappliedupdater.go).
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { parseWireJson, WireJsonError } from '../../base/wire-json.ts'
import { FieldSet } from '../../diff/field-set.ts'
import { goJson } from '../field-error.ts'
import { compareTyped } from './compare-typed.ts'
import { checkType, type ManagedKind, TypeFault } from './managed-kind.ts'
import { ownedFields } from './owned-fields.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
const maxAnnotationsBytes = 256 * 1024
const stored = { duplicates: 'refused', numbers: 'integers' } as const

/** Returns the fields of kubectl's last configuration that are unchanged since. Empty if unknown. */
export function allowedByLastApplied({ type, apiVersion }: ManagedKind, live: JsonObject): FieldSet {
  const text = annotationsOf(live)?.[annotation]
  if (!text) return FieldSet.empty
  try {
    const { value } = parseWireJson(text)
    if (!isJsonObject(value) || !own(value, 'kind') || own(value, 'apiVersion') !== apiVersion) return FieldSet.empty
    checkType(type, value, stored)
    checkType(type, live, stored)
    const { modified, added, removed } = compareTyped(type, value, live)
    return ownedFields(type, value).difference(modified).difference(added).difference(removed)
  } catch (thrown) {
    if (thrown instanceof TypeFault || thrown instanceof WireJsonError) return FieldSet.empty
    throw thrown
  }
}

/**
 * Returns the object with the updated annotation, if it has the annotation. Above the size limit the annotation is
 * removed.
 */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const before = annotationsOf(object)
  if (!before?.[annotation]) return object
  const after: Record<string, string> = { ...before, [annotation]: `${goJson(sorted(withoutAnnotation(applied)))}\n` }
  if (sizeOf(after) > maxAnnotationsBytes) delete after[annotation]
  if (after[annotation] === before[annotation]) return object
  return withAnnotations(object, after)
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied)
  if (annotations === undefined) return withAnnotations(applied, undefined)
  const { [annotation]: _, ...rest } = annotations
  return withAnnotations(applied, rest)
}

/** Returns the annotations; undefined if absent or not all strings. */
function annotationsOf(object: JsonObject): Readonly<Record<string, string>> | undefined {
  const metadata = own(object, 'metadata')
  const annotations = isJsonObject(metadata) ? own(metadata, 'annotations') : undefined
  return isJsonObject(annotations) && isTexts(annotations) ? annotations : undefined
}

function isTexts(object: JsonObject): object is JsonObject & Readonly<Record<string, string>> {
  return Object.values(object).every((value) => typeof value === 'string')
}

function withAnnotations(object: JsonObject, annotations: JsonObject | undefined): JsonObject {
  const metadata = own(object, 'metadata')
  if (!isJsonObject(metadata)) return object
  if (annotations !== undefined) return { ...object, metadata: { ...metadata, annotations } }
  const { annotations: _, ...rest } = metadata
  return { ...object, metadata: rest }
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce(
    (size, [key, text]) => size + Buffer.byteLength(key) + Buffer.byteLength(text),
    0,
  )
}

/** Sorts keys at all levels, as upstream writes unstructured objects. */
function sorted(value: Json): Json {
  if (isJsonList(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  )
}
