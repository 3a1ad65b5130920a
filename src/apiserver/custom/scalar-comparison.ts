// Comparison of two scalars in a JSONPath filter. Only scalars of the same kind compare.
// Source: k8s.io/client-go/third_party/forked/golang/template/funcs.go.
import type { Json } from '../../base/json.ts'
import { isInteger } from '../schema/number-rules.ts'

/** Returns undefined for different kinds or an unknown operator. */
export function compareScalars(left: Json, operator: string, right: Json): boolean | undefined {
  const kind = kindOf(left)
  if (kind === undefined || kind !== kindOf(right)) return undefined
  // JavaScript compares two scalars of one kind as Go does; texts compare by bytes.
  const order =
    kind === 'text' ? Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right))) : orderOf(left, right)
  if (operator === '==') return order === 0
  if (operator === '!=') return order !== 0
  if (kind === 'boolean') return undefined
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  if (operator === '>') return order > 0
  return operator === '>=' ? order >= 0 : undefined
}

function kindOf(value: Json): 'text' | 'boolean' | 'integer' | 'float' | undefined {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  return isInteger(value) ? 'integer' : 'float'
}

function orderOf(left: Json, right: Json): number {
  if (left === right) return 0
  return (left ?? 0) < (right ?? 0) ? -1 : 1
}
