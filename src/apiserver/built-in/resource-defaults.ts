// Canonical form of resource amounts, rounded up to a thousandth.
// Source: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_ResourceList).
import type { Json, JsonObject } from '../../base/json.ts'
import { quantityInMilli } from '../../object/quantity.ts'
import { withStruct } from './field-walk.ts'

/** Normalizes `requests` and `limits`. */
export function resourcesDefaults(resources: JsonObject): JsonObject {
  return resourceListDefaults(resourceListDefaults(resources, 'limits'), 'requests')
}

/** Normalizes the resource amounts of one field. */
export function resourceListDefaults(struct: JsonObject, key: string): JsonObject {
  return withStruct(struct, key, rounded)
}

function rounded(list: JsonObject): JsonObject {
  const entries = Object.entries(list).map(([name, amount]): [string, Json | undefined] => [
    name,
    roundedAmount(amount),
  ])
  return entries.every(([name, amount]) => amount === list[name]) ? list : Object.fromEntries(entries)
}

function roundedAmount(amount: Json | undefined): Json | undefined {
  return typeof amount === 'string' ? (quantityInMilli(amount) ?? amount) : amount
}
