// Body of a JSON patch. All operations are checked before the first one is applied, with the texts of Go's decoder.
// With fieldValidation=Ignore only their form is checked.
// Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go, applyJSPatch.
import { isJsonList, isJsonObject, type Json } from '../../base/json.ts'
import { goTypeOf } from '../request-body.ts'
import { badRequest, StatusError } from '../status-error.ts'

export interface JsonPatchBody {
  readonly operations: readonly Json[]
  /** Errors for unknown fields of operations. */
  readonly strictErrors: readonly string[]
}

const maxOperations = 10_000
const textFields: ReadonlySet<string> = new Set(['op', 'path', 'from'])

/** Returns the operations. Throws StatusError: 400, and 413 for too many operations. */
export function readJsonPatch(patch: Json, isChecked: boolean): JsonPatchBody {
  const operations = patch === null ? [] : patch
  const type = (name: string, unchecked: string) => (isChecked ? `handlers.${name}` : `jsonpatch.${unchecked}`)
  if (!isJsonList(operations))
    throw mistyped(patch, isChecked ? `[]${type('jsonPatchOp', '')}` : 'jsonpatch.Patch', isChecked)
  const strictErrors: string[] = []
  for (const [index, operation] of operations.entries()) {
    if (operation === null) continue
    if (!isJsonObject(operation)) throw mistyped(operation, type('jsonPatchOp', 'Operation'), isChecked)
    if (isChecked) strictErrors.push(...unknownFields(operation, index))
  }
  if (operations.length > maxOperations)
    throw new StatusError({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    })
  return { operations, strictErrors }
}

function unknownFields(operation: Readonly<Record<string, Json | undefined>>, index: number): readonly string[] {
  const unknown: string[] = []
  for (const [field, value = null] of Object.entries(operation)) {
    if (textFields.has(field) && value !== null && typeof value !== 'string')
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into Go struct field jsonPatchOp.${field} of type string`,
      )
    if (!textFields.has(field) && field !== 'value')
      unknown.push(`json patch unknown field ${JSON.stringify(`[${index}].${field}`)}`)
  }
  return unknown
}

function mistyped(value: Json, type: string, isChecked: boolean): StatusError {
  const text = `json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${type}`
  return badRequest(isChecked ? `error decoding patch: ${text}` : text)
}
