// Conversion of HorizontalPodAutoscalers between autoscaling/v1 and v2, the stored version. In v1, annotations carry
// the fields that
// v1 lacks, as JSON. The conversion drops an annotation that it cannot read.
// Source: kubernetes/pkg/apis/autoscaling/v1/conversion.go, autoscaling/helpers.go.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { parseWireJson, WireJsonError } from '../../base/wire-json.ts'
import { goJson } from '../field-error.ts'
import {
  behaviorFromInternal,
  behaviorToInternal,
  metricSpecToV1,
  metricSpecToV2,
  metricStatusToV1,
  metricStatusToV2,
} from './autoscaler-parts.ts'
import { type BuiltInKind, DecodeError, decodeBuiltIn } from './codec.ts'
import { optionalIntegerAt, type Struct, structAt, structsAt, textAt, valueAt } from './field-walk.ts'

const prefix = 'autoscaling.alpha.kubernetes.io/'
const metricsKey = `${prefix}metrics`
const statusesKey = `${prefix}current-metrics`
const conditionsKey = `${prefix}conditions`
const behaviorKey = `${prefix}behavior`
const roundTripKeys: ReadonlySet<string> = new Set([
  metricsKey,
  statusesKey,
  conditionsKey,
  behaviorKey,
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
])

/** The implicit target of v1, in percent; v2 writes it explicitly. */
const defaultUtilization = 80

export class AutoscalerVersions {
  readonly #v1: BuiltInKind
  readonly #v2: BuiltInKind

  constructor(v1: BuiltInKind, v2: BuiltInKind) {
    this.#v1 = v1
    this.#v2 = v2
  }

  /** Converts v1 to v2. */
  toV2(object: JsonObject): JsonObject {
    const kept = annotationsOf(object)
    const { targetCPUUtilizationPercentage: target, ...spec } = structAt(object, 'spec') ?? {}
    const { currentCPUUtilizationPercentage: current, ...status } = structAt(object, 'status') ?? {}
    const others = this.#read(kept.get(metricsKey), metricSpecToV2, (metrics) => ({ spec: { metrics } }))
    const statuses = this.#read(kept.get(statusesKey), metricStatusToV2, (currentMetrics) => ({
      status: { currentMetrics },
    }))
    const conditions = this.#read(
      kept.get(conditionsKey),
      (one) => one,
      (conditions) => ({ status: { conditions } }),
    )
    const metrics = [...(others ?? []), ...(isNumber(target) ? [cpuMetric('target', target)] : [])]
    const behavior = readBehavior(kept.get(behaviorKey))
    const currentMetrics = statuses ?? (isNumber(current) ? [cpuMetric('current', current)] : null)
    return this.#written(this.#v2, object, {
      spec: { ...spec, metrics: metrics.length > 0 ? metrics : [cpuMetric('target', defaultUtilization)], behavior },
      status: { ...status, currentMetrics, conditions: conditions ?? null },
      annotations: {},
    })
  }

  /** Converts v2 to v1. */
  toV1(object: JsonObject): JsonObject {
    const { metrics: _, behavior, ...spec } = structAt(object, 'spec') ?? {}
    const { currentMetrics: __, conditions: ___, ...status } = structAt(object, 'status') ?? {}
    const metrics = structsAt(structAt(object, 'spec'), 'metrics')
    const statuses = structsAt(structAt(object, 'status'), 'currentMetrics')
    const conditions = structsAt(structAt(object, 'status'), 'conditions')
    const others = metrics.filter((metric) => utilizationOf(metric, 'target') === undefined).map(metricSpecToV1)
    const target = metrics.map((metric) => utilizationOf(metric, 'target')).find(isNumber)
    const current = statuses.map((metric) => utilizationOf(metric, 'current')).findLast(isNumber)
    return this.#written(this.#v1, object, {
      spec: { ...spec, targetCPUUtilizationPercentage: target ?? null },
      status: { ...status, currentCPUUtilizationPercentage: current ?? null },
      annotations: {
        ...(others.length > 0 ? { [metricsKey]: goJson(others) } : {}),
        ...(statuses.length > 0 ? { [statusesKey]: goJson(statuses.map(metricStatusToV1)) } : {}),
        ...(isJsonObject(behavior) ? { [behaviorKey]: goJson(behaviorToInternal(behavior)) } : {}),
        ...(conditions.length > 0 ? { [conditionsKey]: goJson(conditions) } : {}),
      },
    })
  }

  /** Returns the items of an annotation in the form of v2; undefined if they are unreadable. */
  #read(
    text: Json | undefined,
    convert: (item: JsonObject) => JsonObject,
    place: (items: readonly Json[]) => JsonObject,
  ): readonly JsonObject[] | undefined {
    const list = parsed(text)
    if (!isJsonList(list)) return undefined
    const items = list.map((item) => convert(isJsonObject(item) ? item : {}))
    try {
      decodeBuiltIn(this.#v2, place(items))
      return items
    } catch (thrown) {
      if (thrown instanceof DecodeError) return undefined
      throw thrown
    }
  }

  #written(
    kind: BuiltInKind,
    object: JsonObject,
    { annotations, ...parts }: { spec: JsonObject; status: JsonObject; annotations: JsonObject },
  ): JsonObject {
    const own = [...annotationsOf(object)].filter(([key]) => !roundTripKeys.has(key))
    const metadata = {
      ...structAt(object, 'metadata'),
      annotations: { ...Object.fromEntries(own), ...annotations },
    }
    return decodeBuiltIn(kind, { metadata, ...parts }).object
  }
}

function annotationsOf(object: JsonObject): ReadonlyMap<string, Json> {
  const annotations = structAt(structAt(object, 'metadata'), 'annotations') ?? {}
  return new Map(Object.entries(annotations).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

function readBehavior(text: Json | undefined): JsonObject | null {
  const value = parsed(text)
  return isJsonObject(value) ? behaviorFromInternal(value) : null
}

function parsed(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return parseWireJson(text).value
  } catch (thrown) {
    if (thrown instanceof WireJsonError) return undefined
    throw thrown
  }
}

function cpuMetric(key: 'target' | 'current', utilization: number): JsonObject {
  const type = key === 'target' ? { type: 'Utilization' } : {}
  return { type: 'Resource', resource: { name: 'cpu', [key]: { ...type, averageUtilization: utilization } } }
}

/** Returns the CPU utilization in percent, the only metric with a field in v1; undefined for other metrics. */
function utilizationOf(metric: Struct, key: 'target' | 'current'): number | undefined {
  const resource = structAt(metric, 'resource')
  const isCpu = valueAt(metric, 'type') === 'Resource' && textAt(resource, 'name') === 'cpu'
  return isCpu ? optionalIntegerAt(structAt(resource, key), 'averageUtilization') : undefined
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === 'number'
}
