// Rules of `x-kubernetes-validations` as written in the schema.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/types_jsonschema.go (ValidationRule).
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'

export interface Rule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

/** Returns the rules of one schema node, in their order. */
export function rulesOf(source: JsonObject): readonly Rule[] {
  const list = own(source, 'x-kubernetes-validations')
  return isJsonList(list) ? list.filter(isJsonObject).map(readRule) : []
}

function readRule(source: JsonObject): Rule {
  const text = (key: string): string | undefined => {
    const value = own(source, key)
    return typeof value === 'string' ? value : undefined
  }
  const optionalOldSelf = own(source, 'optionalOldSelf')
  return {
    rule: text('rule') ?? '',
    message: text('message') ?? '',
    messageExpression: text('messageExpression') ?? '',
    reason: text('reason'),
    fieldPath: text('fieldPath') ?? '',
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  }
}

/** Returns a rule as the API server's errors show it. */
export function shownRule(rule: Rule): Json {
  return {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }
}
