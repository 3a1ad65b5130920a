// LabelSelectors: validation, matching of labels, and text form. An absent selector matches nothing, an empty one
// everything.
// Sources: k8s.io/apimachinery/pkg/apis/meta/v1/{helpers,validation/validation}.go, pkg/labels/selector.go.
import { type Json, type JsonObject, own } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { labelKeyFaults, labelValueFaults } from '../name-rules.ts'
import { invalids, validateLabels } from '../object-meta.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  noErrors,
  type Struct,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from './field-walk.ts'

export interface LabelSelectorOptions {
  /** True for an update of an object that was stored with such values before their validation. */
  readonly allowsInvalidValues: boolean
}

const strict: LabelSelectorOptions = { allowsInvalidValues: false }

export function validateLabelSelector(selector: Struct, path: string, options = strict): FieldErrors {
  if (selector === undefined) return noErrors
  const labels = valueAt(selector, 'matchLabels')
  const labelErrors = labels === undefined ? noErrors : validateLabels(labels, `${path}.matchLabels`)
  const requirements = eachItem(structsAt(selector, 'matchExpressions'), `${path}.matchExpressions`, (item, at) =>
    requirementErrors(item, at, options),
  )
  return requirements.length === 0 ? labelErrors : [...labelErrors, ...requirements]
}

/** True if the selector has a value that is invalid for new selectors. */
export function hasInvalidLabelValue(selector: Struct): boolean {
  return structsAt(selector, 'matchExpressions').some((item) =>
    textsAt(item, 'values').some((value) => labelValueFaults(value).length > 0),
  )
}

/** True without labels and expressions. */
export function isEmptySelector(selector: Struct): boolean {
  return (
    Object.keys(mapAt(selector, 'matchLabels')).length === 0 && structsAt(selector, 'matchExpressions').length === 0
  )
}

/** One requirement on labels. */
interface Requirement {
  readonly key: string
  readonly operator: '=' | 'in' | 'notin' | 'exists' | '!'
  readonly values: readonly string[]
}

/** A parsed selector; undefined for a selector that cannot match because of a fault. */
export class LabelMatcher {
  /** Absent: matches nothing. */
  readonly #requirements: readonly Requirement[] | undefined

  private constructor(requirements: readonly Requirement[] | undefined) {
    this.#requirements = requirements
  }

  static of(selector: Struct): LabelMatcher | undefined {
    if (selector === undefined) return new LabelMatcher(undefined)
    const requirements = requirementsOf(selector)
    return requirements === undefined ? undefined : new LabelMatcher(requirements)
  }

  /** True if the selector matches everything. */
  get isEmpty(): boolean {
    return this.#requirements?.length === 0
  }

  matches(labels: JsonObject): boolean {
    return this.#requirements?.every((requirement) => isMet(requirement, labels)) ?? false
  }

  /** The form of `kubectl get --selector`: `app=web,tier in (a,b)`. */
  get text(): string {
    return (this.#requirements ?? []).map(requirementText).join(',')
  }
}

/** Returns the selector as in an error message: fields in order, labels sorted. */
export function shownSelector(selector: Struct): Json {
  if (selector === undefined) return null
  const labels = mapAt(selector, 'matchLabels')
  const expressions = structsAt(selector, 'matchExpressions')
  return {
    ...(Object.keys(labels).length === 0 ? {} : { matchLabels: shownMap(labels) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions.map(shownRequirement) }),
  }
}

/** Returns a map of texts as in an error message: sorted; `null` if absent. */
export function shownMap(map: Struct): Json {
  if (map === undefined) return null
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, own(map, key) ?? '']),
  )
}

function shownRequirement(requirement: JsonObject): Json {
  const values = textsAt(requirement, 'values')
  return {
    key: textAt(requirement, 'key'),
    operator: textAt(requirement, 'operator'),
    ...(values.length === 0 ? {} : { values }),
  }
}

function requirementErrors(requirement: JsonObject, path: string, options: LabelSelectorOptions): FieldErrors {
  const key = textAt(requirement, 'key')
  const operator = textAt(requirement, 'operator')
  const values = textsAt(requirement, 'values')
  const valueErrors = options.allowsInvalidValues
    ? noErrors
    : eachItem(values, `${path}.values`, (value, at) => invalids(at, value, labelValueFaults(value)))
  return [
    ...operatorErrors(operator, values, path),
    ...invalids(`${path}.key`, key, labelKeyFaults(key)),
    ...valueErrors,
  ]
}

function operatorErrors(operator: string, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')]
  }
}

const operators: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

function requirementsOf(selector: JsonObject): readonly Requirement[] | undefined {
  const requirements: Requirement[] = []
  for (const [key, value] of Object.entries(mapAt(selector, 'matchLabels'))) {
    requirements.push({ key, operator: '=', values: [typeof value === 'string' ? value : ''] })
  }
  for (const item of structsAt(selector, 'matchExpressions')) {
    const written = textAt(item, 'operator')
    const operator = Object.hasOwn(operators, written) ? operators[written] : undefined
    if (operator === undefined) return undefined
    requirements.push({ key: textAt(item, 'key'), operator, values: textsAt(item, 'values') })
  }
  return requirements.every(isReadable) ? requirements.sort(byKey) : undefined
}

function isReadable({ key, operator, values }: Requirement): boolean {
  const takesValues = operator === 'in' || operator === 'notin' || operator === '='
  return (
    values.length > 0 === takesValues &&
    labelKeyFaults(key).length === 0 &&
    values.every((value) => labelValueFaults(value).length === 0)
  )
}

function isMet({ key, operator, values }: Requirement, labels: JsonObject): boolean {
  const value = own(labels, key)
  switch (operator) {
    case '=':
    case 'in':
      return typeof value === 'string' && values.includes(value)
    case 'notin':
      return typeof value !== 'string' || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    default:
      return operator satisfies never
  }
}

function requirementText({ key, operator, values }: Requirement): string {
  switch (operator) {
    case '=':
      return `${key}=${values[0]}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`
    case 'exists':
      return key
    case '!':
      return `!${key}`
    default:
      return operator satisfies never
  }
}

function byKey(left: Requirement, right: Requirement): number {
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0
}
