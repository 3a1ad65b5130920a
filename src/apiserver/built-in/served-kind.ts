// Served resource of a built-in kind: its rules, the codec that decodes bodies, and its entry in the catalogue.
// The codec normalizes the result of every rule.

import { assert } from '../../base/assert.ts'
import type { JsonObject } from '../../base/json.ts'
import { withReset } from '../merge/managed-fields.ts'
import type { ScalePaths, ServedResource, Steps, Strategy } from '../strategy.ts'
import type { BuiltInDataLoader, KindName } from './built-in-data-loader.ts'
import { type CatalogueEntry, keptKinds } from './catalogue.ts'
import { type BuiltInKind, decodeBuiltIn } from './codec.ts'
import { mapAt } from './field-walk.ts'
import { type KindRules, nextGenerationIf } from './kind-rules.ts'

export interface ServedKind {
  readonly name: KindName
  readonly rules: KindRules
  readonly scale?: ScalePaths
}

export function servedKind(data: BuiltInDataLoader, { name, rules, scale }: ServedKind): ServedResource {
  const entry = keptKinds.find((one) => isSameKind(one, name))
  const kind = data.kind(name)
  const table = data.table(name)
  assert(
    entry !== undefined && kind !== undefined && table !== undefined,
    `${name.kind} of ${name.group}/${name.version} is built in`,
  )
  const { group, version, plural, singular, shortNames, categories, isNamespaced, subresources, storage } = entry
  return {
    group,
    version,
    kind: name.kind,
    plural,
    singular,
    shortNames,
    categories,
    isNamespaced,
    isCustom: false,
    subresources: subresources.map((one) => one.name).filter((one) => one !== 'status' && one !== 'scale'),
    shelf: storage.group === '' ? plural : `${plural}.${storage.group}`,
    scale,
    table,
    strategy: strategyOf(data, kind, rules),
    storageVersion: storage.version,
  }
}

function strategyOf(data: BuiltInDataLoader, kind: BuiltInKind, rules: KindRules): Strategy {
  const inForm = (object: JsonObject): JsonObject => decodeBuiltIn(kind, object).object
  const asSent: BuiltInKind = { ...kind, isKeptAsProto: false }
  const { setDefaults, isUnlikeStored, ...steps } = rules
  const specsUnlikeStored = new WeakSet<JsonObject>()
  const inNextGeneration = (prepared: JsonObject, object: JsonObject, old: JsonObject): JsonObject =>
    nextGenerationIf(specsUnlikeStored.has(mapAt(object, 'spec')), prepared, old)
  return {
    ...steps,
    prepareForUpdate: (object, old, context) =>
      inForm(inNextGeneration(rules.prepareForUpdate(object, old, context), object, old)),
    get schema() {
      return data.schema(kind)
    },
    decode(body) {
      // Defaults distinguish an empty list from an absent one; the stored form does not.
      const { object, strictErrors } = decodeBuiltIn(asSent, body)
      const decoded = inForm(setDefaults(object))
      // Both have the same canonical form, so only the body shows the difference.
      if (isUnlikeStored?.(body) === true) specsUnlikeStored.add(mapAt(decoded, 'spec'))
      return { object: withReset(decoded, body), strictErrors }
    },
    prepareForCreate: (object, context) => inForm(rules.prepareForCreate(object, context)),
    status: rules.status && { ...rules.status, ...stepsInForm(rules.status, inForm) },
    finalize: rules.finalize && { ...rules.finalize, ...stepsInForm(rules.finalize, inForm) },
  }
}

function stepsInForm(steps: Steps, inForm: (object: JsonObject) => JsonObject): Pick<Steps, 'prepareForUpdate'> {
  return { prepareForUpdate: (object, old, context) => inForm(steps.prepareForUpdate(object, old, context)) }
}

function isSameKind(entry: CatalogueEntry, { group, version, kind }: KindName): boolean {
  return entry.kind === kind && entry.group === group && entry.version === version
}
