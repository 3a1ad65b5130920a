// Columns of `kubectl get hpa`: each metric as its current value over its target.
// Source: formatHPAMetrics in kubernetes/pkg/printers/internalversion/printers.go.
import type { JsonObject } from '../../../base/json.ts'
import {
  integerAt,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
} from '../field-walk.ts'
import type { Cells } from './cell.ts'
import { age, firstFew, name, slashed } from './common-cells.ts'

/** Cells of autoscaling/v2. */
export const horizontalPodAutoscalerCells: Cells = (object, nowMs) => {
  const spec = structAt(object, 'spec')
  const status = structAt(object, 'status')
  const target = structAt(spec, 'scaleTargetRef')
  const least = optionalIntegerAt(spec, 'minReplicas')
  const current = structsAt(status, 'currentMetrics')
  const metrics = structsAt(spec, 'metrics').map((metric, index) => shownMetric(metric, current[index]))
  return [
    name(object),
    slashed(textAt(target, 'kind'), textAt(target, 'name')),
    metrics.length === 0 ? '<none>' : firstFew(metrics, 2, ', '),
    least === undefined ? '<unset>' : String(least),
    integerAt(spec, 'maxReplicas'),
    integerAt(status, 'currentReplicas'),
    age(object, nowMs),
  ]
}

function shownMetric(metric: JsonObject, status: Struct): string {
  switch (textAt(metric, 'type')) {
    case 'External':
      return amounts(structAt(metric, 'external'), structAt(status, 'external'))
    case 'Object':
      return amounts(structAt(metric, 'object'), structAt(status, 'object'))
    case 'Pods': {
      const current = structAt(status, 'pods')
      return `${current === undefined ? '<unknown>' : quantity(structAt(current, 'current'), 'averageValue')}/${quantity(structAt(structAt(metric, 'pods'), 'target'), 'averageValue')}`
    }
    case 'Resource':
      return resource(structAt(metric, 'resource'), structAt(status, 'resource'))
    case 'ContainerResource':
      return resource(structAt(metric, 'containerResource'), structAt(status, 'containerResource'))
    default:
      return '<unknown type>'
  }
}

/** Shows the average if the target is an average, else the value. */
function amounts(source: Struct, status: Struct): string {
  const target = structAt(source, 'target')
  const current = structAt(status, 'current')
  const average = optionalTextAt(target, 'averageValue')
  if (average !== undefined) return `${optionalTextAt(current, 'averageValue') ?? '<unknown>'}/${average} (avg)`
  return `${status === undefined ? '<unknown>' : quantity(current, 'value')}/${quantity(target, 'value')}`
}

function resource(source: Struct, status: Struct): string {
  const target = structAt(source, 'target')
  const current = structAt(status, 'current')
  const average = optionalTextAt(target, 'averageValue')
  const shown =
    average !== undefined
      ? `${status === undefined ? '<unknown>' : quantity(current, 'averageValue')}/${average}`
      : `${percent(current) ?? '<unknown>'}/${percent(target) ?? '<auto>'}`
  return `${textAt(source, 'name')}: ${shown}`
}

function percent(struct: Struct): string | undefined {
  const value = optionalIntegerAt(struct, 'averageUtilization')
  return value === undefined ? undefined : `${value}%`
}

function quantity(struct: Struct, key: string): string {
  return optionalTextAt(struct, key) ?? '<nil>'
}
