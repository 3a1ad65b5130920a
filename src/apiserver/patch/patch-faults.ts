// Errors of strategic merge patches, with upstream's texts.
// Only errors of form are the client's (400); all others are plain errors (500), as in upstream.
// Source: k8s.io/apimachinery/pkg/util/mergepatch/errors.go, interpretStrategicMergePatchError of apiserver's patch.go.
import type { Json, JsonObject } from '../../base/json.ts'
import { plainError, StatusError } from '../status-error.ts'
import { goPrinted, goTypeName } from './go-print.ts'

export function noMergeKey(item: JsonObject, mergeKey: string): StatusError {
  return plainError(`map: ${goPrinted(item)} does not contain declared merge key: ${mergeKey}`)
}

export function badArgument(wanted: string, found: Json | undefined): StatusError {
  return plainError(`expected a ${wanted}, but received a ${goTypeName(found)}`)
}

export function badPatchType(how: Json | undefined, patch: JsonObject): StatusError {
  return plainError(`unknown patch type: ${shown(how)} in map: ${goPrinted(patch)}`)
}

export function listOfLists(): StatusError {
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  })
}

/** Formats a value like Go's `%s`, even if it is no string. */
function shown(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return value === null ? '%!s(<nil>)' : `%!s(${goTypeName(value)}=${goPrinted(value)})`
}
