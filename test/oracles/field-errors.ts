// How are faults compared with an oracle's? As (type, field, text), sorted: Go walks its maps in no order.

import { errorBody, type FieldError } from '../../src/apiserver/field-error.ts'
import type { Json } from '../../src/base/json.ts'
import { isJsonList, isJsonObject, own } from '../../src/base/json.ts'

export function shownErrors(errors: readonly FieldError[]): string[] {
  return errors.map((error) => `${error.type} | ${error.field} | ${errorBody(error)}`).sort()
}

/** The same of an answer of `fieldErrors` in field_errors.go. */
export function answeredErrors(answer: Json | undefined): string[] {
  if (!isJsonList(answer)) throw new Error(`no list of errors: ${JSON.stringify(answer)}`)
  return answer
    .map((error) => {
      if (!isJsonObject(error)) throw new Error(`no error: ${JSON.stringify(error)}`)
      return `${own(error, 'type')} | ${own(error, 'field')} | ${own(error, 'text')}`
    })
    .sort()
}

/** How many times the usual number of cases a run shall ask. */
export function oracleRuns(usual: number): number {
  return usual * Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
}
