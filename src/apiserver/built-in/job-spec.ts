// Validation of the spec of a Job, and of a CronJob's Job template.
// Source: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { byteLength } from '../name-rules.ts'
import { nonNegatives } from './count-rules.ts'
import { domainPrefixedPathErrors } from './domain-path.ts'
import {
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  structAt,
  structIn,
  textAt,
  valueAt,
} from './field-walk.ts'
import { failurePolicyErrors, successPolicyErrors, successPolicyForm } from './job-policies.ts'
import { templateErrors } from './workload-template.ts'

const maxIndexedParallelism = 100_000
const maxFailedIndexes = 100_000
const manyCompletions = 100_000
const maxParallelismOfMany = 10_000
const maxFailedIndexesOfMany = 10_000
const maxManagedByBytes = 63

/** Validates all fields but the selector, which only a Job has and a template lacks. */
export function jobSpecErrors(spec: JsonObject, path: string): FieldErrors {
  const failurePolicy = structAt(spec, 'podFailurePolicy')
  return [
    ...nonNegatives(spec, path, [
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ]),
    ...(valueAt(spec, 'maxFailedIndexes') !== undefined && valueAt(spec, 'backoffLimitPerIndex') === undefined
      ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : noErrors),
    ...managedByErrors(optionalTextAt(spec, 'managedBy'), `${path}.managedBy`),
    ...completionModeErrors(spec, path),
    ...(failurePolicy === undefined ? noErrors : failurePolicyErrors(spec, failurePolicy, `${path}.podFailurePolicy`)),
    ...successErrors(spec, `${path}.successPolicy`),
    ...replacementErrors(spec, `${path}.podReplacementPolicy`),
    ...templateErrors(mapAt(spec, 'template'), `${path}.template`),
    ...restartErrors(spec, `${path}.template.spec.restartPolicy`),
  ]
}

export function isIndexed(spec: JsonObject): boolean {
  return textAt(spec, 'completionMode') === 'Indexed'
}

function managedByErrors(managedBy: string | undefined, path: string): FieldErrors {
  if (managedBy === undefined) return noErrors
  return [
    ...domainPrefixedPathErrors(managedBy, path),
    ...(byteLength(managedBy) > maxManagedByBytes ? [tooLong(path, maxManagedByBytes)] : noErrors),
  ]
}

function completionModeErrors(spec: JsonObject, path: string): FieldErrors {
  const mode = optionalTextAt(spec, 'completionMode')
  if (mode === 'Indexed') return [...indexedErrors(spec, path), ...manyCompletionsErrors(spec, path)]
  if (mode === undefined || mode === 'NonIndexed') return nonIndexedErrors(spec, path)
  return [notSupported(`${path}.completionMode`, mode, ['NonIndexed', 'Indexed'])]
}

function nonIndexedErrors(spec: JsonObject, path: string): FieldErrors {
  return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((key) => {
    const value = valueAt(spec, key)
    return value === undefined ? [] : [invalid(`${path}.${key}`, value, 'requires indexed completion mode')]
  })
}

function indexedErrors(spec: JsonObject, path: string): FieldError[] {
  const completions = optionalIntegerAt(spec, 'completions')
  const parallelism = integerAt(spec, 'parallelism')
  const failed = integerAt(spec, 'maxFailedIndexes')
  const failedPath = `${path}.maxFailedIndexes`
  return [
    ...(completions === undefined ? [required(`${path}.completions`, 'when completion mode is Indexed')] : []),
    ...(parallelism > maxIndexedParallelism
      ? [atMost(`${path}.parallelism`, parallelism, `${maxIndexedParallelism} when completion mode is Indexed`)]
      : []),
    ...(completions !== undefined && valueAt(spec, 'maxFailedIndexes') !== undefined && failed > completions
      ? [atMost(failedPath, failed, 'completions')]
      : []),
    ...(failed > maxFailedIndexes ? [atMost(failedPath, failed, `${maxFailedIndexes}`)] : []),
  ]
}

function manyCompletionsErrors(spec: JsonObject, path: string): FieldErrors {
  if (integerAt(spec, 'completions') <= manyCompletions || valueAt(spec, 'backoffLimitPerIndex') === undefined)
    return noErrors
  const parallelism = integerAt(spec, 'parallelism')
  const failed = optionalIntegerAt(spec, 'maxFailedIndexes')
  const failedPath = `${path}.maxFailedIndexes`
  const when = `when completions are above ${manyCompletions} and used with backoff limit per index`
  return [
    ...(failed === undefined
      ? [required(failedPath, `must be specified when completions is above ${manyCompletions}`)]
      : noErrors),
    ...(parallelism > maxParallelismOfMany
      ? [atMost(`${path}.parallelism`, parallelism, `${maxParallelismOfMany} ${when}`)]
      : noErrors),
    ...(failed !== undefined && failed > maxFailedIndexesOfMany
      ? [atMost(failedPath, failed, `${maxFailedIndexesOfMany} ${when}`)]
      : noErrors),
  ]
}

function atMost(path: string, value: number, most: string): FieldError {
  return invalid(path, value, `must be less than or equal to ${most}`)
}

function successErrors(spec: JsonObject, path: string): FieldErrors {
  const policy = structAt(spec, 'successPolicy')
  if (policy === undefined) return noErrors
  if (!isIndexed(spec)) return [invalid(path, successPolicyForm(policy), 'requires indexed completion mode')]
  return successPolicyErrors(policy, integerAt(spec, 'completions'), path)
}

function replacementErrors(spec: JsonObject, path: string): FieldErrors {
  const policy = optionalTextAt(spec, 'podReplacementPolicy')
  // With a failure policy, only failed pods are replaced.
  const known = structAt(spec, 'podFailurePolicy') === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  return policy === undefined || known.includes(policy) ? noErrors : [notSupported(path, policy, known)]
}

function restartErrors(spec: JsonObject, path: string): FieldErrors {
  const policy = textAt(structIn(spec, 'template', 'spec'), 'restartPolicy')
  switch (policy) {
    case '':
    case 'Always':
      return [required(path, 'valid values: "OnFailure", "Never"')]
    case 'Never':
      return noErrors
    case 'OnFailure':
      return structAt(spec, 'podFailurePolicy') === undefined
        ? noErrors
        : [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    default:
      return [notSupported(path, policy, ['OnFailure', 'Never'])]
  }
}
