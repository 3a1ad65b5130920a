// Paths and validation of the replicas of a custom kind.
// Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { optionalTextAt, textAt } from '../built-in/field-walk.ts'
import { type FieldError, goFloat, invalid } from '../field-error.ts'
import { isInteger } from '../schema/number-rules.ts'
import type { ScalePaths } from '../strategy.ts'

const maxReplicas = 2 ** 31 - 1

/** Paths of `subresources.scale`, as declared and as steps. */
export interface CustomScale {
  readonly paths: ScalePaths
  readonly declared: {
    readonly specReplicas: string
    readonly statusReplicas: string
    readonly selector: string | undefined
  }
}

export function customScale(scale: JsonObject): CustomScale {
  const specReplicas = textAt(scale, 'specReplicasPath')
  const statusReplicas = textAt(scale, 'statusReplicasPath')
  const selector = optionalTextAt(scale, 'labelSelectorPath')
  return {
    declared: { specReplicas, statusReplicas, selector },
    paths: {
      specReplicas: stepsOf(specReplicas),
      statusReplicas: stepsOf(statusReplicas),
      selector: selector === undefined || selector === '' ? undefined : stepsOf(selector),
    },
  }
}

export function validateSpecReplicas(object: JsonObject, { declared }: CustomScale): FieldError[] {
  return replicasErrors(object, declared.specReplicas)
}

export function validateStatusReplicas(object: JsonObject, { declared }: CustomScale): FieldError[] {
  const { statusReplicas, selector } = declared
  return [
    ...replicasErrors(object, statusReplicas),
    ...(selector === undefined ? [] : selectorErrors(object, selector)),
  ]
}

function replicasErrors(object: JsonObject, path: string): FieldError[] {
  const found = valueAt(object, stepsOf(path))
  if ('fault' in found) return [invalid(path, 0, found.fault)]
  const { value } = found
  if (value === undefined) return []
  if ((typeof value !== 'number' && typeof value !== 'bigint') || !isInteger(value))
    return [invalid(path, 0, accessorFault(stepsOf(path), value, 'int64'))]
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')]
  return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : []
}

function selectorErrors(object: JsonObject, path: string): FieldError[] {
  const found = valueAt(object, stepsOf(path))
  if ('fault' in found) return [invalid(path, '', found.fault)]
  if (found.value === undefined || typeof found.value === 'string') return []
  return [invalid(path, '', accessorFault(stepsOf(path), found.value, 'string'))]
}

function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.')
}

function valueAt(object: JsonObject, steps: readonly string[]): { value: Json | undefined } | { fault: string } {
  let value: Json | undefined = object
  for (const [index, step] of steps.entries()) {
    if (value === null || value === undefined) return { value: undefined }
    if (!isJsonObject(value))
      return { fault: accessorFault(steps.slice(0, index + 1), value, 'map[string]interface{}') }
    value = own(value, step)
  }
  return { value }
}

function accessorFault(steps: readonly string[], value: Json, goType: string): string {
  return `.${steps.join('.')} accessor error: ${goShown(value)} is of the type ${goTypeOf(value)}, expected ${goType}`
}

/** Formats a value as Go's `%v`. */
function goShown(value: Json): string {
  if (value === null) return '<nil>'
  if (isJsonList(value)) return `[${value.map(goShown).join(' ')}]`
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort()
    return `map[${keys.map((key) => `${key}:${goShown(value[key] ?? null)}`).join(' ')}]`
  }
  return typeof value === 'number' && !isInteger(value) ? goFloat(value) : String(value)
}

function goTypeOf(value: Json): string {
  if (value === null) return '<nil>'
  if (isJsonList(value)) return '[]interface {}'
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number' || typeof value === 'bigint') return isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}
