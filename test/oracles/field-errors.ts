// Field errors in a form for comparison with an oracle: type, field and text, sorted, because Go iterates maps in
// random order.

import { errorBody, type FieldError } from '../../src/apiserver/field-error.ts'
import type { Json } from '../../src/base/json.ts'
import { isJsonList, isJsonObject, own } from '../../src/base/json.ts'

export function shownErrors(errors: readonly FieldError[]): string[] {
  return errors.map((error) => `${error.type} | ${error.field} | ${errorBody(error)}`).sort()
}

/** Returns the same for a response of `fieldErrors` in field_errors.go. */
export function answeredErrors(answer: Json | undefined): string[] {
  if (!isJsonList(answer)) throw new Error(`no list of errors: ${JSON.stringify(answer)}`)
  return answer
    .map((error) => {
      if (!isJsonObject(error)) throw new Error(`no error: ${JSON.stringify(error)}`)
      return `${own(error, 'type')} | ${own(error, 'field')} | ${own(error, 'text')}`
    })
    .sort()
}

/** Returns the number of cases of a run: the usual number times `KONVERGE_ORACLE_RUNS`. */
export function oracleRuns(usual: number): number {
  return usual * Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
}
