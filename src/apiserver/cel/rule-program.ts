// Evaluation of a schema's rules on an object, from the root down: the rules of a node run before those of its
// children.
// All rules share one cost budget. Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { errorText, type FieldError, goQuoted, invalid } from '../field-error.ts'
import { Correlation } from '../schema/correlation.ts'
import type { Schema } from '../schema/schema.ts'
import { type CompiledRule, compileNodeRules } from './compiled-rule.ts'
import { type DeclaredType, declaredType } from './declared-type.ts'
import { escapedName } from './escape.ts'
import { trimmed } from './library/strings.ts'
import { listLookup } from './list-lookup.ts'
import { CostExceeded, EvaluationPanic, Meter } from './meter.ts'
import { schemaValue } from './object-value.ts'
import { withTypeAndMetadata } from './resource-schema.ts'
import type { Rule } from './rule.ts'
import type { Frame, Step } from './step.ts'
import { CelError, Optional, type Value } from './value.ts'

export interface RuleInput {
  readonly object: Json
  /** Undefined for a creation. */
  readonly old: Json | undefined
  /** Path of the object; empty for a whole resource. */
  readonly field: string
}

export interface RuleProgram {
  validate(input: RuleInput): readonly FieldError[]
  /** As `validate`, with warnings for faults of unchanged values, and with the cost. */
  judge(input: RuleInput): {
    readonly errors: readonly FieldError[]
    readonly warnings: readonly string[]
    readonly cost: number
  }
}

/** Cost limits of one expression, and of all rules for one object. */
const callLimit = 1_000_000
const budget = 10_000_000
const maxMessageBytes = 5 * 1024

/** True if the schema has evaluated rules anywhere. */
export function hasRules(schema: Schema): boolean {
  if (isJsonList(own(schema.source, 'x-kubernetes-validations'))) return true
  const additional = schema.additionalProperties
  return (
    (schema.items !== undefined && hasRules(schema.items)) ||
    (additional !== undefined && additional !== true && hasRules(additional)) ||
    schema.properties.values().some(hasRules)
  )
}

/** Compiles the rules of a whole schema. Keep the result: it serves all objects of a CRD's version. */
export function ruleProgram(schema: Schema): RuleProgram {
  const root = nodeOf(schema.source, schema, true, declaredType(schema, true, 'selfType'))
  const judge = ({ object, old, field }: RuleInput) => {
    const run = new Run()
    const change = old === undefined ? undefined : new Correlation(object, old, schema)
    if (root !== undefined) run.visit(root, field, object, old, { current: change, nearest: undefined })
    return { errors: run.errors, warnings: run.warnings, cost: budget - run.remaining }
  }
  return { judge, validate: (input) => judge(input).errors }
}

interface RuleNode {
  readonly schema: Schema
  readonly isResource: boolean
  readonly rules: readonly CompiledRule[]
  readonly items: RuleNode | undefined
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additional: RuleNode | undefined
  readonly allOf: readonly RuleNode[]
}

/** `source` holds the rules: the schema itself, or an element of its `allOf`. Returns undefined without rules. */
function nodeOf(
  source: JsonObject,
  schema: Schema,
  isResource: boolean,
  declared: DeclaredType | undefined,
): RuleNode | undefined {
  if (declared === undefined) return undefined
  const nested = (inner: Json | undefined, innerSchema: Schema, type: DeclaredType | undefined) =>
    isJsonObject(inner) ? nodeOf(inner, innerSchema, innerSchema.isEmbeddedResource, type) : undefined
  const { items, additionalProperties } = schema
  const properties = new Map<string, RuleNode>()
  const declaredProperties = own(source, 'properties')
  for (const [name, inner] of Object.entries(isJsonObject(declaredProperties) ? declaredProperties : {})) {
    const property = schema.properties.get(name)
    const node = property && nested(inner, property, propertyType(name, property, declared))
    if (node !== undefined) properties.set(name, node)
  }
  const all = own(source, 'allOf')
  const node: RuleNode = {
    schema,
    isResource,
    rules: compileNodeRules(source, schema, declared),
    items: items && nested(own(source, 'items'), items, declared.element),
    properties,
    additional:
      additionalProperties === undefined || additionalProperties === true
        ? undefined
        : nested(own(source, 'additionalProperties'), additionalProperties, declared.element),
    allOf: (isJsonList(all) ? all : []).flatMap((inner) =>
      isJsonObject(inner) ? (nodeOf(inner, schema, isResource, declared) ?? []) : [],
    ),
  }
  const isEmpty =
    node.rules.length === 0 && !node.items && properties.size === 0 && !node.additional && node.allOf.length === 0
  return isEmpty ? undefined : node
}

function propertyType(name: string, property: Schema, parent: DeclaredType): DeclaredType | undefined {
  const escaped = escapedName(name)
  return escaped === undefined
    ? declaredType(property, property.isEmbeddedResource, 'selfType')
    : parent.fields?.get(escaped)
}

/** Correlation with the old object: of the value itself, or of the nearest enclosing value with a counterpart. */
interface Change {
  readonly current: Correlation | undefined
  readonly nearest: Correlation | undefined
}

class Run {
  readonly errors: FieldError[] = []
  readonly warnings: string[] = []
  remaining = budget

  /** Returns false if the budget is spent; evaluation then ends. */
  visit(node: RuleNode, field: string, value: Json, old: Json | undefined, change: Change): boolean {
    if (value === null) return true
    if (!this.#rules(node, field, value, old ?? undefined, change)) return false
    for (const inner of node.allOf)
      if (!this.visit(inner, field, value, old, { current: undefined, nearest: change.nearest })) return false
    if (isJsonList(value)) return this.#elements(node, field, value, old, change)
    return isJsonObject(value) ? this.#properties(node, field, value, old, change) : true
  }

  #elements(node: RuleNode, field: string, list: readonly Json[], old: Json | undefined, change: Change): boolean {
    const { items } = node
    if (items === undefined) return true
    const oldOf = listLookup(node.schema, isJsonList(old) ? old : [])
    return list.every((element, index) => {
      const inner =
        change.current === undefined ? change : { current: change.current.item(index), nearest: change.current }
      return this.visit(items, `${field}[${index}]`, element, oldOf(element), inner)
    })
  }

  #properties(node: RuleNode, field: string, object: JsonObject, old: Json | undefined, change: Change): boolean {
    const oldObject = isJsonObject(old) ? old : {}
    for (const [key, value] of Object.entries(object)) {
      const property = node.properties.get(key)
      const oldValue = own(oldObject, key)
      const inner = propertyChange(change, key)
      if (value === undefined) continue
      if (node.additional !== undefined && !this.visit(node.additional, `${field}[${key}]`, value, oldValue, inner))
        return false
      if (property !== undefined && !this.visit(property, childField(field, key), value, oldValue, inner)) return false
    }
    return true
  }

  #rules(node: RuleNode, field: string, value: Json, old: Json | undefined, change: Change): boolean {
    if (node.rules.length === 0) return true
    const shownType = node.schema.type ?? ''
    if (this.remaining <= 0) return this.#exhausted(field, shownType)
    const schema = node.isResource ? withTypeAndMetadata(node.schema) : node.schema
    // If no rule uses the old value, message expressions do not see it either.
    const usesOldSelf = node.rules.some(({ condition }) => condition?.fault === undefined && condition?.usesOldSelf)
    const frames = framesOf(schema, value, old, usesOldSelf)
    return node.rules.every((rule) => this.#rule(rule, node.schema, field, value, old, change, frames))
  }

  #rule(
    compiled: CompiledRule,
    schema: Schema,
    field: string,
    value: Json,
    old: Json | undefined,
    change: Change,
    frames: Frames,
  ): boolean {
    const { rule, condition } = compiled
    const shownType = schema.type ?? ''
    if (condition === undefined) return true
    if (condition.fault !== undefined) {
      this.#add(invalid(fieldOf(field), shownType, `rule compile error: ${condition.fault}`))
      return true
    }
    const isOptional = rule.optionalOldSelf === true
    if (condition.usesOldSelf && old === undefined && !isOptional) return true
    const { result, cost } = evaluated(condition.plan, isOptional ? frames.optional : frames.plain)
    if (cost > this.remaining) return this.#exhausted(field, shownType)
    this.remaining -= cost
    const text = ruleText(rule)
    if (result instanceof CostExceeded) {
      const why = `'${result.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`
      this.#add(invalid(fieldOf(field), shownType, why))
      return this.#stop()
    }
    if (result instanceof CelError) {
      const why = result.message.startsWith('no such overload')
        ? `'${result.message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`
        : `${result.message} evaluating rule: ${text}`
      this.#add(invalid(fieldOf(field), shownType, why))
      return true
    }
    return result === true || this.#broken(compiled, schema, field, value, change, frames)
  }

  /** Reports a violated rule with its message, reason and field. An unchanged value causes only a warning. */
  #broken(compiled: CompiledRule, schema: Schema, field: string, value: Json, change: Change, frames: Frames): boolean {
    const { rule, condition, messageExpression } = compiled
    const at = compiled.field === '' ? field : childField(field, compiled.field)
    const usesOldSelf = condition?.fault === undefined && condition?.usesOldSelf === true
    const isUnchanged = (change.current ?? change.nearest)?.isUnchanged === true
    const report = (error: FieldError): void => {
      if (!usesOldSelf && isUnchanged) this.warnings.push(errorText(error))
      else this.#add(error)
    }
    let message: string | undefined
    if (messageExpression !== undefined && messageExpression.fault === undefined) {
      const made = this.#message(messageExpression.plan, rule.messageExpression, frames.plain)
      if (made.stop !== undefined) {
        report(invalid(fieldOf(at), schema.type ?? '', made.stop))
        return this.#stop()
      }
      message = made.text
    }
    const isComposite = schema.type === 'object' || schema.type === 'array'
    report(faultOf(rule, fieldOf(at), isComposite ? undefined : value, message ?? ruleMessage(rule)))
    return true
  }

  /** Evaluates the message expression. If it fails, the result is empty and the static message is used. */
  #message(plan: Step, expression: string, frame: Frame): { readonly text?: string; readonly stop?: string } {
    const { result, cost } = evaluated(plan, frame)
    if (cost > this.remaining)
      return {
        stop: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      }
    if (result instanceof CostExceeded)
      return {
        stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuoted(expression)}`,
      }
    this.remaining -= cost
    const text = typeof result === 'string' ? trimmed(result) : ''
    const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes
    return isUsable ? { text } : {}
  }

  #exhausted(field: string, shownType: string): false {
    const why = 'validation failed due to running out of cost budget, no further validation rules will be run'
    this.#add(invalid(fieldOf(field), shownType, why))
    return this.#stop()
  }

  #stop(): false {
    this.remaining = -1
    return false
  }

  #add(error: FieldError): void {
    this.errors.push(error)
  }
}

function propertyChange({ current, nearest }: Change, key: string): Change {
  if (current === undefined) return { current, nearest }
  // A change of apiVersion or kind at the root is a conversion, not an update.
  if (nearest === undefined && (key === 'apiVersion' || key === 'kind'))
    return { current: undefined, nearest: undefined }
  return { current: current.field(key), nearest: current }
}

function childField(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`
}

/** The API server prints an empty path as `<nil>`. */
function fieldOf(field: string): string {
  return field === '' ? '<nil>' : field
}

interface Frames {
  readonly plain: Frame
  /** Frame in which `oldSelf` is an optional. */
  readonly optional: Frame
}

/** Values are created once, at their first use by a rule. */
function framesOf(schema: Schema, value: Json, old: Json | undefined, usesOldSelf: boolean): Frames {
  let self: Value | undefined
  let oldSelf: Value | undefined
  const findOld = (): Value | undefined => {
    if (oldSelf === undefined && old !== undefined) oldSelf = schemaValue(old, schema)
    return oldSelf
  }
  const findSelf = (): Value => {
    self ??= schemaValue(value, schema)
    return self
  }
  const frame = (findOldSelf: () => Value | undefined): Frame => ({
    find: (name) => (name === 'self' ? findSelf() : name === 'oldSelf' ? findOldSelf() : undefined),
  })
  return {
    plain: frame(usesOldSelf ? findOld : () => undefined),
    optional: frame(() => {
      if (!usesOldSelf) return undefined
      return old === undefined ? Optional.none : new Optional(findOld())
    }),
  }
}

function evaluated(plan: Step, frame: Frame): { readonly result: Value | CostExceeded; readonly cost: number } {
  const meter = new Meter(callLimit)
  try {
    return { result: plan.evaluate(frame, meter), cost: meter.cost }
  } catch (thrown) {
    if (thrown instanceof CostExceeded) return { result: thrown, cost: meter.cost }
    if (thrown instanceof EvaluationPanic) return { result: new CelError(thrown.message), cost: meter.cost }
    throw thrown
  }
}

function ruleText({ rule, message }: Rule): string {
  return trimmed(message === '' ? rule : message)
}

function ruleMessage(rule: Rule): string {
  return rule.message === '' ? `failed rule: ${ruleText(rule)}` : trimmed(rule.message)
}

function faultOf(rule: Rule, field: string, value: Json | undefined, detail: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
      return { type: rule.reason, field, detail }
    case 'FieldValueDuplicate':
      return { type: rule.reason, field, value, detail: '' }
    default:
      return invalid(field, value, detail)
  }
}
