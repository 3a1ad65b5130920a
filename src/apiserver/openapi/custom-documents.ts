// OpenAPI documents of the current custom kinds: one per group and version that an established CRD serves.
// They are rebuilt when a CRD changes.
// Source: k8s.io/apiextensions-apiserver/pkg/controller/openapiv3.
import type { JsonObject } from '../../base/json.ts'
import { wireJson } from '../../base/wire-json.ts'
import { isTrueAt, structAt, structsAt, textAt } from '../built-in/field-walk.ts'
import { isConditionTrue } from '../custom/definition-rules.ts'
import type { Committed, View } from '../object-log.ts'
import type { OpenApiDocument } from '../open-api.ts'
import { type CustomTemplates, customDocument, mergedDocument } from './custom-document.ts'

const shelf = 'customresourcedefinitions.apiextensions.k8s.io'

/** Returns a function that gives the same documents until a CRD changes. */
export function customDocuments(view: View, templates: () => CustomTemplates): () => readonly OpenApiDocument[] {
  let known: { readonly state: string; readonly documents: readonly OpenApiDocument[] } = { state: '', documents: [] }
  return () => {
    const definitions = view.list(shelf)
    const state = definitions.map(({ place, revision }) => `${place.name} ${revision}`).join()
    if (state !== known.state) known = { state, documents: documentsOf(definitions, templates) }
    return known.documents
  }
}

function documentsOf(definitions: readonly Committed[], templates: () => CustomTemplates): readonly OpenApiDocument[] {
  const found = new Map<string, JsonObject[]>()
  for (const { object } of definitions) {
    if (!isConditionTrue(object, 'Established')) continue
    const spec = structAt(object, 'spec')
    for (const version of structsAt(spec, 'versions')) {
      if (!isTrueAt(version, 'served')) continue
      const name = `apis/${textAt(spec, 'group')}/${textAt(version, 'name')}`
      found.set(name, [...(found.get(name) ?? []), customDocument(object, version, templates())])
    }
  }
  return [...found].map(([name, kinds]) => {
    const text = wireJson(mergedDocument(kinds))
    return { name, text: () => text }
  })
}
