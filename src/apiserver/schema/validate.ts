// Schema validation: finds every error, with upstream's texts and order.
// On an update, errors in unchanged parts do not count (ratcheting). A schema is compiled on first use.
// Source: k8s.io/kube-openapi/pkg/validation/validate, k8s.io/apiextensions-apiserver/pkg/apiserver/validation.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { type FieldError, goJson, goQuoted, sortedByKey } from '../field-error.ts'
import type { Correlation } from './correlation.ts'
import { type Failure, failure, fieldErrorOf, plainFailure } from './failure.ts'
import { isInteger, isNearlyInteger, isPlainlyWithin, numberFailures } from './number-rules.ts'
import type { Schema } from './schema.ts'
import { type Reading, type ValueRules, valueRules } from './value-rules.ts'

export interface ValueValidation {
  readonly value: Json
  readonly schema: Schema
  /** Path of the value: '' for a whole object, `status` for its status. */
  readonly field: string
  /** Correlation with the old value; absent on create. */
  readonly correlation?: Correlation | undefined
  readonly reading?: Reading
}

/** Returns all errors. A valid value costs one walk, without allocations but the path. */
export function validateValue({ value, schema, field, correlation, reading }: ValueValidation): FieldError[] {
  const walk = new Walk()
  const findings = new Findings()
  walk.validate(value, valueRules(schema.source, reading ?? 'forObjects'), findings, correlation)
  return findings.failures.map((found) => fieldErrorOf(found, field))
}

/** Unique failures and the number of checks made, by which the best of several schemas is chosen. */
class Findings {
  readonly failures: Failure[] = []
  count = 0
  #messages: Set<string> | undefined

  add(found: Failure): void {
    this.#messages ??= new Set()
    if (this.#messages.has(found.message)) return
    this.#messages.add(found.message)
    this.failures.push(found)
  }

  /** Removes the failures beyond the first `length`. */
  forgetFrom(length: number): void {
    for (const { message } of this.failures.splice(length)) this.#messages?.delete(message)
  }

  merge(other: Findings): void {
    for (const found of other.failures) this.add(found)
    this.count += other.count
  }
}

class Walk {
  readonly #path: (string | number)[] = []

  validate(value: Json, rules: ValueRules, findings: Findings, correlation: Correlation | undefined): void {
    if (correlation === undefined) {
      this.#validateValue(value, rules, findings, undefined)
      return
    }
    const before = findings.failures.length
    this.#validateValue(value, rules, findings, correlation)
    if (findings.failures.length > before && correlation.isUnchanged) findings.forgetFrom(before)
  }

  #validateValue(value: Json, rules: ValueRules, findings: Findings, correlation: Correlation | undefined): void {
    if (value === null) {
      this.#checkType(value, rules, findings)
      this.#checkEnum(value, rules, findings)
      return
    }
    // Each applicable kind of check counts once, and the whole once more.
    findings.count += 3
    if (rules.hasTypeOrFormat) {
      findings.count++
      this.#checkType(value, rules, findings)
    }
    this.#checkCombined(value, rules, findings)
    if (typeof value === 'string') this.#checkText(value, rules, findings)
    else if (typeof value === 'number' || typeof value === 'bigint') this.#checkNumber(value, rules, findings)
    if (isJsonList(value)) this.#checkList(value, rules, findings, correlation)
    this.#checkEnum(value, rules, findings)
    if (isJsonObject(value)) this.#checkObject(value, rules, findings, correlation)
  }

  #checkType(value: Json, rules: ValueRules, findings: Findings): void {
    const { types, format } = rules
    const fail = (wanted: string, found: string): void => {
      const message = `${this.#name()} in body must be of type ${wanted}: ${goQuoted(found)}`
      findings.add(failure('FieldValueTypeInvalid', this.#name(), found, message))
    }
    if (value === null) {
      if (types.length > 0 && !rules.isNullable) fail(types.join(','), 'null')
      else findings.count++
      return
    }
    const found = typeOf(value)
    const isText = found === 'string' || found === 'array'
    const fits =
      types.includes(found) ||
      (found === 'number' && types.includes('integer') && isNearlyInteger(Number(value))) ||
      (found === 'integer' && types.includes('number'))
    if (!isText && format !== '' && !fits && format !== formatOf(found)) fail(format, formatOf(found))
    else if (isText && format !== '' && !types.includes('number') && !types.includes('integer')) findings.count++
    else if (!fits) fail(types.join(','), found)
    else findings.count++
  }

  #checkText(value: string, rules: ValueRules, findings: Findings): void {
    findings.count++
    const invalid = (words: string): void =>
      findings.add(failure('FieldValueInvalid', this.#name(), value, `${this.#name()} in body should ${words}`))
    const { maxLength, minLength, pattern } = rules
    // Only the first of these errors is reported. Lengths are in characters.
    if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength)
      findings.add(this.#tooLong(maxLength))
    else if (minLength !== undefined && characters(value) < minLength) invalid(`be at least ${minLength} chars long`)
    else if (pattern !== undefined && !pattern.test(value)) invalid(`match '${rules.patternText}'`)
    if (rules.formatCheck === undefined) return
    findings.count++
    if (rules.formatCheck(value)) return
    const message = `${this.#name()} in body must be of type ${rules.format}: ${goQuoted(value)}`
    findings.add(failure('FieldValueTypeInvalid', this.#name(), value, message))
  }

  #tooLong(maxLength: number): Failure {
    const unit = maxLength === 1 ? 'byte' : 'bytes'
    const message = `${this.#name()} in body should be at most ${maxLength} chars long`
    const detail = `may not be more than ${maxLength} ${unit}`
    return { type: 'FieldValueTooLong', path: this.#name(), value: undefined, message, detail }
  }

  #checkNumber(value: number | bigint, rules: ValueRules, findings: Findings): void {
    findings.count += 2
    if (!rules.hasNumberRules || isPlainlyWithin(value, rules.number)) return
    for (const found of numberFailures(value, rules.number, this.#name())) findings.add(found)
  }

  #checkList(value: readonly Json[], rules: ValueRules, findings: Findings, correlation?: Correlation): void {
    findings.count += 2
    const { items, minItems, maxItems } = rules
    if (items !== undefined)
      for (const [index, item] of value.entries()) {
        this.#path.push(index)
        this.validate(item, items, findings, correlation?.item(index))
        this.#path.pop()
      }
    if (minItems !== undefined && value.length < minItems)
      findings.add(
        failure(
          'FieldValueInvalid',
          this.#name(),
          value.length,
          `${this.#name()} in body should have at least ${minItems} items`,
        ),
      )
    if (maxItems !== undefined && value.length > maxItems) findings.add(this.#tooMany(value.length, maxItems, 'items'))
  }

  #tooMany(size: number, max: number, words: string): Failure {
    const message = `${this.#name()} in body should have at most ${max} ${words}`
    const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`
    return { type: 'FieldValueTooMany', path: this.#name(), value: size, message, detail }
  }

  #checkEnum(value: Json, { allowed }: ValueRules, findings: Findings): void {
    if (allowed.length === 0 || allowed.some((one) => isSameInEnum(value, one))) return
    const shown = allowed.map((one) => (typeof one === 'string' ? one : goJson(sortedByKey(one))))
    const detail = `supported values: ${shown.map(goQuoted).join(', ')}`
    const message = `${this.#name()} in body should be one of [${shown.join(' ')}]`
    findings.add({ type: 'FieldValueNotSupported', path: this.#name(), value, message, detail })
  }

  #checkObject(value: JsonObject, rules: ValueRules, findings: Findings, correlation?: Correlation): void {
    findings.count++
    const { minProperties, maxProperties, additional, properties } = rules
    const keys = Object.keys(value)
    if (minProperties !== undefined && keys.length < minProperties)
      findings.add(
        failure(
          'FieldValueInvalid',
          this.#name(),
          keys.length,
          `${this.#name()} in body should have at least ${minProperties} properties`,
        ),
      )
    if (maxProperties !== undefined && keys.length > maxProperties)
      findings.add(this.#tooMany(keys.length, maxProperties, 'properties'))
    for (const key of keys) {
      const field = own(value, key)
      if (field === undefined) continue
      const named = properties.get(key)
      if (named === undefined && additional === false) findings.add(this.#notAllowed(key))
      const inner = named ?? additional
      if (typeof inner !== 'object') continue
      // At the root, upstream writes a dot before an undeclared field.
      this.#path.push(named === undefined && this.#path.length === 0 ? `.${key}` : key)
      // The object's type does not ratchet.
      const isType = this.#path.length === 1 && (key === 'kind' || key === 'apiVersion')
      this.validate(field, inner, findings, isType ? undefined : correlation?.field(key))
      this.#path.pop()
    }
    for (const key of rules.required) if (own(value, key) === undefined) findings.add(this.#missing(key))
  }

  #notAllowed(key: string): Failure {
    return failure('FieldValueInvalid', this.#name(), key, `${this.#name()}.${key} in body is a forbidden property`)
  }

  #missing(key: string): Failure {
    const path = `${this.#name()}.${key}`
    return { type: 'FieldValueRequired', path, value: undefined, message: `${path} in body is required`, detail: '' }
  }

  /** Checks anyOf, oneOf, allOf and not. None of them ratchets; of failed alternatives, the best is reported. */
  #checkCombined(value: Json, { anyOf, oneOf, allOf, not }: ValueRules, findings: Findings): void {
    findings.count++
    if (anyOf.length > 0) this.#checkAnyOf(value, anyOf, findings)
    if (oneOf.length > 0) this.#checkOneOf(value, oneOf, findings)
    if (allOf.length > 0) {
      const results = allOf.map((rules) => this.#tried(value, rules))
      for (const result of results) findings.merge(result)
      const valid = results.filter(isValid).length
      if (valid < allOf.length)
        findings.add(this.#combined(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`))
    }
    if (not !== undefined && isValid(this.#tried(value, not)))
      findings.add(this.#combined('must not validate the schema (not)'))
  }

  #checkAnyOf(value: Json, anyOf: readonly ValueRules[], findings: Findings): void {
    let best: Findings | undefined
    for (const rules of anyOf) {
      const result = this.#tried(value, rules)
      if (isValid(result)) {
        findings.merge(result)
        return
      }
      if (best === undefined || result.count > best.count) best = result
    }
    findings.add(this.#combined('must validate at least one schema (anyOf)'))
    if (best !== undefined) findings.merge(best)
  }

  #checkOneOf(value: Json, oneOf: readonly ValueRules[], findings: Findings): void {
    const results = oneOf.map((rules) => this.#tried(value, rules))
    const valid = results.filter(isValid)
    const [only] = valid
    if (only !== undefined && valid.length === 1) {
      findings.merge(only)
      return
    }
    const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
    findings.add(this.#combined(`must validate one and only one schema (oneOf). ${found}`))
    if (valid.length > 0) return
    const best = results.reduce((one, other) => (other.count > one.count ? other : one))
    findings.merge(best)
  }

  #tried(value: Json, rules: ValueRules): Findings {
    const findings = new Findings()
    this.validate(value, rules, findings, undefined)
    return findings
  }

  #combined(words: string): Failure {
    return plainFailure(`${goQuoted(this.#name())} ${words}`)
  }

  #name(): string {
    return this.#path
      .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
      .join('')
  }
}

function isValid(findings: Findings): boolean {
  return findings.failures.length === 0
}

function typeOf(value: Exclude<Json, null>): string {
  if (isJsonList(value)) return 'array'
  if (typeof value === 'number' || typeof value === 'bigint') return isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** Returns the implicit format of a type. */
function formatOf(type: string): string {
  if (type === 'integer') return 'int64'
  return type === 'number' ? 'float64' : ''
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Compares like Go after a conversion to the type of the allowed value: 1.5 equals 1, and 65 equals "A". */
function isSameInEnum(value: Json, allowed: Json): boolean {
  if (value === null || allowed === null) return false
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber && (typeof allowed === 'number' || typeof allowed === 'bigint')) {
    if (isInteger(allowed) && !isInteger(value)) return BigInt(Math.trunc(Number(value))) === BigInt(allowed)
    return isInteger(allowed) ? BigInt(value) === BigInt(allowed) : Number(value) === allowed
  }
  if (isNumber && typeof allowed === 'string' && isInteger(value)) return allowed === characterOf(value)
  return deepEqual(value, allowed)
}

function characterOf(code: number | bigint): string {
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return String.fromCodePoint(isCharacter ? Number(code) : 0xfffd)
}
