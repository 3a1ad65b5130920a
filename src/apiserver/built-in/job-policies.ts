// Validation of a Job's podFailurePolicy and successPolicy.
// Source: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go.
import { isJsonList, type Json, type JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany } from '../field-error.ts'
import { byteLength, labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { nonNegatives } from './count-rules.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  structAt,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { countIndexes } from './job-indexes.ts'
import { showList, showOptional, showPointer, showStruct, showText } from './shown-form.ts'

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const operators = ['In', 'NotIn']
const statuses = ['False', 'True', 'Unknown']
const maxRules = 20
const maxPatterns = 20
const maxExitCodes = 255
const maxIndexesBytes = 64 * 1024

export const failurePolicyForm = showPointer(
  showStruct({
    Rules: [
      'rules',
      showList(
        showStruct({
          Action: ['action', showText],
          OnExitCodes: [
            'onExitCodes',
            showPointer(
              showStruct({
                ContainerName: ['containerName', showOptional],
                Operator: ['operator', showText],
                Values: ['values', showOptional],
              }),
            ),
          ],
          OnPodConditions: [
            'onPodConditions',
            showList(showStruct({ Type: ['type', showText], Status: ['status', showText] })),
          ],
        }),
      ),
    ],
  }),
)

export const successPolicyForm = showPointer(
  showStruct({
    Rules: [
      'rules',
      showList(
        showStruct({
          SucceededIndexes: ['succeededIndexes', showOptional],
          SucceededCount: ['succeededCount', showOptional],
        }),
      ),
    ],
  }),
)

export function failurePolicyErrors(spec: JsonObject, policy: JsonObject, path: string): FieldErrors {
  const rules = structsAt(policy, 'rules')
  const pod = structAt(structAt(spec, 'template'), 'spec')
  const containers = new Set(
    [...structsAt(pod, 'containers'), ...structsAt(pod, 'initContainers')].map((container) =>
      textAt(container, 'name'),
    ),
  )
  const hasIndexLimit = valueAt(spec, 'backoffLimitPerIndex') !== undefined
  return [
    ...(rules.length > maxRules ? [tooMany(`${path}.rules`, rules.length, maxRules)] : noErrors),
    ...eachItem(rules, `${path}.rules`, (rule, at) => failureRuleErrors(rule, at, { containers, hasIndexLimit })),
  ]
}

interface JobFacts {
  readonly containers: ReadonlySet<string>
  readonly hasIndexLimit: boolean
}

function failureRuleErrors(rule: JsonObject, path: string, facts: JobFacts): FieldErrors {
  const exitCodes = structAt(rule, 'onExitCodes')
  const conditions = structsAt(rule, 'onPodConditions')
  const hasBoth = exitCodes !== undefined && conditions.length > 0
  const hasNone = exitCodes === undefined && conditions.length === 0
  return [
    ...actionErrors(textAt(rule, 'action'), `${path}.action`, facts),
    ...(exitCodes === undefined ? noErrors : exitCodesErrors(exitCodes, `${path}.onExitCodes`, facts)),
    ...(conditions.length > maxPatterns
      ? [tooMany(`${path}.onPodConditions`, conditions.length, maxPatterns)]
      : noErrors),
    ...eachItem(conditions, `${path}.onPodConditions`, patternErrors),
    ...(hasBoth
      ? [invalid(path, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : noErrors),
    ...(hasNone
      ? [invalid(path, undefined, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : noErrors),
  ]
}

function actionErrors(action: string, path: string, { hasIndexLimit }: JobFacts): FieldErrors {
  if (action === 'FailIndex' && !hasIndexLimit)
    return [invalid(path, action, 'requires the backoffLimitPerIndex to be set')]
  return knownErrors(action, actions, path)
}

/** Validates a required word of a fixed set. */
function knownErrors(word: string, known: readonly string[], path: string): FieldError[] {
  if (known.includes(word)) return []
  if (word !== '') return [notSupported(path, word, known)]
  return [required(path, `valid values: [${known.map((one) => `"${one}"`).join(' ')}]`)]
}

function patternErrors(pattern: JsonObject, path: string): FieldErrors {
  const type = textAt(pattern, 'type')
  return [
    ...invalids(`${path}.type`, type, labelKeyFaults(type)),
    ...knownErrors(textAt(pattern, 'status'), statuses, `${path}.status`),
  ]
}

function exitCodesErrors(exitCodes: JsonObject, path: string, { containers }: JobFacts): FieldErrors {
  const operator = textAt(exitCodes, 'operator')
  const container = optionalTextAt(exitCodes, 'containerName')
  const isUnknownContainer = container !== undefined && !containers.has(container)
  return [
    ...knownErrors(operator, operators, `${path}.operator`),
    ...(isUnknownContainer
      ? [
          invalid(
            `${path}.containerName`,
            container,
            'must be one of the container or initContainer names in the pod template',
          ),
        ]
      : noErrors),
    ...exitCodeValuesErrors(valueAt(exitCodes, 'values'), operator, `${path}.values`),
  ]
}

function exitCodeValuesErrors(values: Json | undefined, operator: string, path: string): FieldErrors {
  const codes = isJsonList(values) ? values : []
  if (codes.length === 0) return [invalid(path, values ?? null, 'at least one value is required')]
  const isOrdered = codes.every((code, index) => index === 0 || Number(codes[index - 1]) <= Number(code))
  return [
    ...(codes.length > maxExitCodes ? [tooMany(path, codes.length, maxExitCodes)] : noErrors),
    ...eachItem(codes, path, (code, at, index) => [
      ...(operator === 'In' && code === 0 ? [invalid(at, code, 'must not be 0 for the In operator')] : noErrors),
      ...(codes.indexOf(code) < index ? [duplicate(at, code)] : noErrors),
    ]),
    ...(isOrdered ? noErrors : [invalid(path, codes, 'must be ordered')]),
  ]
}

/** Validates the success policy of an indexed Job. */
export function successPolicyErrors(policy: JsonObject, completions: number, path: string): FieldErrors {
  const rules = structsAt(policy, 'rules')
  const at = `${path}.rules`
  return [
    ...(rules.length === 0
      ? [required(at, 'at least one rules must be specified when the successPolicy is specified')]
      : noErrors),
    ...(rules.length > maxRules ? [tooMany(at, rules.length, maxRules)] : noErrors),
    ...eachItem(rules, at, (rule, ruleAt) => successRuleErrors(rule, completions, ruleAt)),
  ]
}

function successRuleErrors(rule: JsonObject, completions: number, path: string): FieldErrors {
  const indexes = optionalTextAt(rule, 'succeededIndexes')
  const succeeded = optionalIntegerAt(rule, 'succeededCount')
  if (indexes === undefined && succeeded === undefined)
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')]
  const at = `${path}.succeededIndexes`
  const counted = indexes === undefined ? 0 : countIndexes(indexes, completions)
  const named = typeof counted === 'number' ? counted : 0
  return [
    ...(byteLength(indexes ?? '') > maxIndexesBytes ? [tooLong(at, maxIndexesBytes)] : noErrors),
    ...(typeof counted === 'number'
      ? noErrors
      : [invalid(at, indexes, `error parsing succeededIndexes: ${counted.fault}`)]),
    ...nonNegatives(rule, path, ['succeededCount']),
    ...mostErrors(rule, path, completions, `${completions} (the number of specified completions)`),
    ...(indexes === undefined
      ? noErrors
      : mostErrors(rule, path, named, `${named} (the number of indexes in the specified succeededIndexes field)`)),
  ]
}

function mostErrors(rule: JsonObject, path: string, most: number, shown: string): FieldErrors {
  const succeeded = integerAt(rule, 'succeededCount')
  if (valueAt(rule, 'succeededCount') === undefined || succeeded <= most) return noErrors
  return [invalid(`${path}.succeededCount`, succeeded, `must be less than or equal to ${shown}`)]
}
