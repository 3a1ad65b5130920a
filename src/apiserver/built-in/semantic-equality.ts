// Semantic equality of specs: deep equality, with quantities equal by value (`1` equals `1000m`).
// Source: k8s.io/apimachinery/pkg/api/equality (Semantic).
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { compareQuantities } from '../../object/quantity.ts'
import { quantityOf } from './resource-requirements.ts'

/** Fields with a map of quantities, and fields with one quantity. */
const amountMaps = new Set(['requests', 'limits', 'overhead', 'capacity', 'allocatable', 'allocatedResources'])
const amounts = new Set(['sizeLimit', 'divisor'])

export function semanticEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (isJsonList(left))
    return (
      isJsonList(right) &&
      left.length === right.length &&
      left.every((item, index) => semanticEqual(item, right[index]))
    )
  return isJsonObject(left) && isJsonObject(right) && areEqualStructs(left, right)
}

function areEqualStructs(left: JsonObject, right: JsonObject): boolean {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => areEqualFields(key, own(left, key), own(right, key)))
}

function areEqualFields(key: string, left: Json | undefined, right: Json | undefined): boolean {
  if (left === right || (isAbsent(left) && isAbsent(right))) return true
  if (amounts.has(key)) return isSameAmount(left, right)
  if (!amountMaps.has(key) || !isJsonObject(left) || !isJsonObject(right)) return semanticEqual(left, right)
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameAmount(own(left, name), own(right, name)))
  )
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || (isJsonList(value) && value.length === 0)
}

function isSameAmount(left: Json | undefined, right: Json | undefined): boolean {
  return compareQuantities(quantityOf(left), quantityOf(right)) === 0
}
