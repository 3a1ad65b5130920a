// Value of an int-or-percent field. A percentage of a total is rounded up or down; a number stays unchanged.
// Source: k8s.io/apimachinery/pkg/util/intstr, GetScaledValueFromIntOrPercent.
import type { Json } from '../../../base/json.ts'

export function scaledValue(value: Json | undefined, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return 0
  const exact = (Number(value.slice(0, -1)) * total) / 100
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
