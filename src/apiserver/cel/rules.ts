// Validation and compilation of a CRD's rules, with the faults that the API server reports when a CRD is written.
// Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation (cel_validation.go).
import { own } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { Schema } from '../schema/schema.ts'
import { type Compiled, compileNodeRules } from './compiled-rule.ts'
import { declaredType, maxOccurrences } from './declared-type.ts'
import { type Rule, rulesOf, shownRule } from './rule.ts'
import { ruleFieldPath } from './rule-field-path.ts'
import { hasRules, type RuleProgram, ruleProgram } from './rule-program.ts'

/** Estimated cost limits of one rule at all its occurrences, and of all rules of a CRD. */
const maxRuleCost = 10_000_000
const maxTotalCost = 100_000_000

/**
 * Checks and compiles all `x-kubernetes-validations` of a structural schema. `path` is the schema's path, with which
 * errors begin.
 * @example compileRules(schema, { path: 'spec.validation.openAPIV3Schema' })
 */
export function compileRules(
  schema: Schema,
  { path }: { readonly path: string },
): { readonly errors: readonly FieldError[]; readonly program: RuleProgram | undefined } {
  const survey = new Survey()
  const { schemaErrors, ruleErrors } = survey.visit(schema, path, {
    declares: true,
    isRoot: true,
    occurrences: 1,
    uncorrelatable: undefined,
  })
  const errors = [...schemaErrors, ...ruleErrors, ...survey.totalErrors(path)]
  return { errors, program: hasRules(schema) ? ruleProgram(schema) : undefined }
}

interface Place {
  /** False inside `not`, `allOf` and similar, where rules are not compiled. */
  readonly declares: boolean
  readonly isRoot: boolean
  /** Maximum number of occurrences of the value; undefined without a bound. */
  readonly occurrences: number | undefined
  /** The enclosing list or map whose elements have no counterpart in the old object. */
  readonly uncorrelatable: string | undefined
}

interface Faults {
  readonly schemaErrors: readonly FieldError[]
  readonly ruleErrors: readonly FieldError[]
}

class Survey {
  #total = 0
  #expensive: { readonly field: string; readonly cost: number }[] = []

  visit(schema: Schema, path: string, place: Place): Faults {
    const schemaErrors: FieldError[] = []
    const ruleErrors: FieldError[] = []
    for (const child of childrenOf(schema, path, place)) {
      const faults = this.visit(child.schema, child.path, child.place)
      schemaErrors.push(...faults.schemaErrors)
      ruleErrors.push(...faults.ruleErrors)
    }
    const rules = rulesOf(schema.source)
    const at = `${path}.x-kubernetes-validations`
    for (const [index, rule] of rules.entries()) schemaErrors.push(...wordingFaults(rule, `${at}[${index}]`, schema))
    if (rules.length > 0 && schemaErrors.length === 0 && place.declares)
      ruleErrors.push(...this.#compiled(schema, at, place))
    return { schemaErrors, ruleErrors }
  }

  #compiled(schema: Schema, at: string, place: Place): FieldError[] {
    const declared = declaredType(schema, place.isRoot || schema.isEmbeddedResource, 'selfType')
    if (declared === undefined) {
      const why = 'unable to convert structural schema to CEL declarations'
      return [
        internal(at, `internal error: failed to construct type information for x-kubernetes-validations rules: ${why}`),
      ]
    }
    const occurrences = place.occurrences ?? maxOccurrences(declared)
    return compileNodeRules(schema.source, schema, declared).flatMap(
      ({ rule, condition, messageExpression }, index) => {
        const field = `${at}[${index}]`
        const cost = Math.min((condition?.fault === undefined ? (condition?.maxCost ?? 0) : 0) * occurrences, 2 ** 64)
        return [
          ...this.#costFaults(`${field}.rule`, 'estimated rule cost', cost),
          ...(condition?.fault === undefined ? [] : [invalid(`${field}.rule`, shownRule(rule), condition.fault)]),
          ...this.#messageFaults(`${field}.messageExpression`, rule, messageExpression),
          ...oldSelfFaults(field, rule, condition, place.uncorrelatable),
        ]
      },
    )
  }

  #messageFaults(field: string, rule: Rule, message: Compiled | undefined): FieldError[] {
    if (message === undefined) return []
    return message.fault === undefined
      ? this.#costFaults(field, 'estimated messageExpression cost', message.maxCost)
      : [invalid(field, shownRule(rule), message.fault)]
  }

  #costFaults(field: string, name: string, cost: number): FieldError[] {
    this.#total = Math.min(this.#total + cost, 2 ** 64)
    if (cost >= maxTotalCost / 100)
      this.#expensive = [...this.#expensive, { field, cost }].sort((left, right) => right.cost - left.cost).slice(0, 4)
    return cost > maxRuleCost ? [forbidden(field, costText(name, cost, maxRuleCost))] : []
  }

  totalErrors(path: string): FieldError[] {
    if (this.#total <= maxTotalCost) return []
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#expensive.map(({ field }) =>
        forbidden(field, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
      ),
      forbidden(path, costText(name, this.#total, maxTotalCost)),
    ]
  }
}

function internal(field: string, detail: string): FieldError {
  return { type: 'InternalError', field, detail }
}

interface Child {
  readonly schema: Schema
  readonly path: string
  readonly place: Place
}

function childrenOf(schema: Schema, path: string, place: Place): readonly Child[] {
  const most = maxChildren(schema)
  const occurrences =
    place.occurrences === undefined || most === undefined ? undefined : Math.min(place.occurrences * most, 2 ** 64)
  const inner: Place = { ...place, isRoot: false, occurrences }
  const children: Child[] = []
  const additional = schema.additionalProperties
  if (additional !== undefined && additional !== true)
    children.push({ schema: additional, path: `${path}.additionalProperties`, place: inner })
  for (const [name, property] of schema.properties)
    children.push({ schema: property, path: `${path}.properties[${name}]`, place: inner })
  if (schema.items !== undefined) {
    const uncorrelatable = schema.listType === 'map' ? place.uncorrelatable : (place.uncorrelatable ?? path)
    children.push({ schema: schema.items, path: `${path}.items`, place: { ...inner, uncorrelatable } })
  }
  return children
}

/** Returns the maximum number of values per parent; undefined without a bound. */
function maxChildren({ type, source }: Schema): number | undefined {
  const isMap = type === 'object' && own(source, 'additionalProperties') !== undefined
  if (!isMap && type !== 'array') return 1
  const limit = own(source, isMap ? 'maxProperties' : 'maxItems')
  return typeof limit === 'number' ? Math.max(0, limit) : undefined
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** Returns the faults of a rule's fields other than its expression. */
function wordingFaults(rule: Rule, field: string, schema: Schema): FieldError[] {
  const errors: FieldError[] = []
  const [text, message] = [rule.rule.trim(), rule.message.trim()]
  if (text === '') errors.push(required(`${field}.rule`, 'rule is not specified'))
  else if (rule.message !== '' && message === '')
    errors.push(invalid(`${field}.message`, rule.message, 'must be non-empty if specified'))
  else if (hasLineBreak(message)) errors.push(invalid(`${field}.message`, rule.message, 'must not contain line breaks'))
  else if (hasLineBreak(text) && message === '')
    errors.push(required(`${field}.message`, 'message must be specified if rule contains line breaks'))
  if (rule.messageExpression !== '' && rule.messageExpression.trim() === '')
    errors.push(required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified'))
  if (rule.reason !== undefined && !reasons.includes(rule.reason))
    errors.push(notSupported(`${field}.reason`, rule.reason, reasons))
  if (rule.fieldPath === '') return errors
  const path = `${field}.fieldPath`
  if (rule.fieldPath.trim() === '') errors.push(invalid(path, rule.fieldPath, 'must be non-empty if specified'))
  if (hasLineBreak(rule.fieldPath)) errors.push(invalid(path, rule.fieldPath, 'must not contain line breaks'))
  if (ruleFieldPath(rule.fieldPath, schema) === undefined)
    errors.push(invalid(path, rule.fieldPath, 'must be a valid path'))
  return errors
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}

function oldSelfFaults(
  field: string,
  rule: Rule,
  condition: Compiled | undefined,
  uncorrelatable: string | undefined,
): FieldError[] {
  const usesOldSelf = condition?.fault === undefined && condition?.usesOldSelf === true
  if (usesOldSelf) {
    if (uncorrelatable === undefined) return []
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
    return [invalid(`${field}.rule`, rule.rule, detail)]
  }
  if (rule.optionalOldSelf === undefined) return []
  return [invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
}

function costText(name: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
