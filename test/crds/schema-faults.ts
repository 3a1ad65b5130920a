// Errors of an object by the schema of its CRD, with its status, which a create would ignore.
import { customResources } from '../../src/apiserver/custom/custom-strategy.ts'
import { StatusError } from '../../src/apiserver/status-error.ts'
import { isJsonObject, type JsonObject } from '../../src/base/json.ts'

/** Returns one message for each error, with its field. The endpoint would default the namespace. */
export function schemaFaults(definition: JsonObject, object: JsonObject): readonly string[] {
  const resource = customResources(definition).find(({ group, version }) => `${group}/${version}` === object.apiVersion)
  if (resource === undefined) throw new Error(`the definition does not serve ${object.apiVersion}`)
  const { strategy } = resource
  try {
    const { object: read, strictErrors } = strategy.decode(inNamespace(object))
    return [...strictErrors, ...strategy.validateCreate(read).map(({ field, detail }) => `${field}: ${detail}`)]
  } catch (thrown) {
    if (thrown instanceof StatusError) return [thrown.message]
    throw thrown
  }
}

function inNamespace(object: JsonObject): JsonObject {
  const { metadata } = object
  return isJsonObject(metadata) ? { ...object, metadata: { namespace: 'default', ...metadata } } : object
}
