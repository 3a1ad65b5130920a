// What does the scale endpoint show of an object, and what may it change? A view of the replicas, the same for every kind that has any.
import type { JsonObject } from '../base/json.ts'
import { notServed } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

export function readScale(resource: ServedResource, _object: JsonObject): JsonObject {
  throw notServed(`The scale endpoint of ${resource.plural}`)
}

export function writtenScale(resource: ServedResource, _live: JsonObject, _scale: JsonObject): JsonObject {
  throw notServed(`The scale endpoint of ${resource.plural}`)
}
