// Conversion of the parts of a HorizontalPodAutoscaler between autoscaling/v1's annotations and v2. Fields stand in the
// order in which
// Go writes them, because annotations are compared as text.
// Source: kubernetes/pkg/apis/autoscaling/v1/conversion.go, k8s.io/api/autoscaling/v1/types.go.
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { parseQuantity } from '../../object/quantity.ts'
import { type Struct, structAt, structsAt, textAt, valueAt } from './field-walk.ts'

type Convert = (part: JsonObject) => JsonObject

/** Converts every source of a metric that is present. */
function metric(parts: Readonly<Record<string, Convert>>): Convert {
  return (from) => ({
    type: textAt(from, 'type'),
    ...Object.fromEntries(
      Object.entries(parts).flatMap(([name, convert]) => {
        const part = structAt(from, name)
        return part === undefined ? [] : [[name, convert(part)]]
      }),
    ),
  })
}

export const metricSpecToV1 = metric({
  object: (part) => ({
    target: reference(structAt(part, 'describedObject')),
    metricName: metricName(part),
    targetValue: amount(structAt(part, 'target'), 'value'),
    ...selector(part, 'selector'),
    ...optional('averageValue', valueAt(structAt(part, 'target'), 'averageValue')),
  }),
  pods: (part) => ({
    metricName: metricName(part),
    targetAverageValue: amount(structAt(part, 'target'), 'averageValue'),
    ...selector(part, 'selector'),
  }),
  resource: (part) => ({ name: textAt(part, 'name'), ...resourceTarget(part) }),
  containerResource: (part) => ({
    name: textAt(part, 'name'),
    ...resourceTarget(part),
    container: textAt(part, 'container'),
  }),
  external: (part) => ({
    metricName: metricName(part),
    ...selector(part, 'metricSelector'),
    ...optional('targetValue', valueAt(structAt(part, 'target'), 'value')),
    ...optional('targetAverageValue', valueAt(structAt(part, 'target'), 'averageValue')),
  }),
})

export const metricSpecToV2 = metric({
  object: (part) => {
    const average = valueAt(part, 'averageValue')
    const value = valueAt(part, 'targetValue') ?? '0'
    return {
      describedObject: valueAt(part, 'target') ?? {},
      target:
        average === undefined
          ? { type: 'Value', value }
          : { type: 'AverageValue', averageValue: average, ...(isZero(value) ? {} : { value }) },
      metric: identifier(part, 'selector'),
    }
  },
  pods: (part) => ({
    target: { type: 'AverageValue', averageValue: valueAt(part, 'targetAverageValue') ?? '0' },
    metric: identifier(part, 'selector'),
  }),
  resource: resourceToV2,
  containerResource: (part) => ({ ...resourceToV2(part), container: valueAt(part, 'container') ?? '' }),
  external: (part) => {
    const value = valueAt(part, 'targetValue')
    return {
      target: {
        type: value === undefined ? 'AverageValue' : 'Value',
        ...optional('value', value),
        ...optional('averageValue', valueAt(part, 'targetAverageValue')),
      },
      metric: identifier(part, 'metricSelector'),
    }
  },
})

export const metricStatusToV1 = metric({
  object: (part) => ({
    target: reference(structAt(part, 'describedObject')),
    metricName: metricName(part),
    currentValue: amount(structAt(part, 'current'), 'value'),
    ...selector(part, 'selector'),
    ...optional('averageValue', valueAt(structAt(part, 'current'), 'averageValue')),
  }),
  pods: (part) => ({
    metricName: metricName(part),
    currentAverageValue: amount(structAt(part, 'current'), 'averageValue'),
    ...selector(part, 'selector'),
  }),
  resource: (part) => ({ name: textAt(part, 'name'), ...resourceCurrent(part) }),
  containerResource: (part) => ({
    name: textAt(part, 'name'),
    ...resourceCurrent(part),
    container: textAt(part, 'container'),
  }),
  external: (part) => ({
    metricName: metricName(part),
    ...selector(part, 'metricSelector'),
    currentValue: amount(structAt(part, 'current'), 'value'),
    ...optional('currentAverageValue', valueAt(structAt(part, 'current'), 'averageValue')),
  }),
})

export const metricStatusToV2 = metric({
  object: (part) => ({
    describedObject: valueAt(part, 'target') ?? {},
    current: {
      value: valueAt(part, 'currentValue') ?? '0',
      ...optional('averageValue', valueAt(part, 'averageValue')),
    },
    metric: identifier(part, 'selector'),
  }),
  pods: (part) => ({
    current: { averageValue: valueAt(part, 'currentAverageValue') ?? '0' },
    metric: identifier(part, 'selector'),
  }),
  resource: resourceStatusToV2,
  containerResource: (part) => ({ ...resourceStatusToV2(part), container: valueAt(part, 'container') ?? '' }),
  external: (part) => ({
    current: {
      value: valueAt(part, 'currentValue') ?? '0',
      ...optional('averageValue', valueAt(part, 'currentAverageValue')),
    },
    metric: identifier(part, 'metricSelector'),
  }),
})

function resourceTarget(part: JsonObject): JsonObject {
  const target = structAt(part, 'target')
  return {
    ...optional('targetAverageUtilization', valueAt(target, 'averageUtilization')),
    ...optional('targetAverageValue', valueAt(target, 'averageValue')),
  }
}

function resourceCurrent(part: JsonObject): JsonObject {
  const current = structAt(part, 'current')
  return {
    ...optional('currentAverageUtilization', valueAt(current, 'averageUtilization')),
    currentAverageValue: amount(current, 'averageValue'),
  }
}

function resourceToV2(part: JsonObject): JsonObject {
  const utilization = valueAt(part, 'targetAverageUtilization')
  return {
    name: valueAt(part, 'name') ?? '',
    target: {
      type: utilization === undefined ? 'AverageValue' : 'Utilization',
      ...optional('averageValue', valueAt(part, 'targetAverageValue')),
      ...optional('averageUtilization', utilization),
    },
  }
}

function resourceStatusToV2(part: JsonObject): JsonObject {
  return {
    name: valueAt(part, 'name') ?? '',
    current: {
      averageValue: valueAt(part, 'currentAverageValue') ?? '0',
      ...optional('averageUtilization', valueAt(part, 'currentAverageUtilization')),
    },
  }
}

function reference(described: Struct): JsonObject {
  return {
    kind: textAt(described, 'kind'),
    name: textAt(described, 'name'),
    ...optional('apiVersion', textAt(described, 'apiVersion') || undefined),
  }
}

function metricName(part: JsonObject): string {
  return textAt(structAt(part, 'metric'), 'name')
}

function selector(part: JsonObject, name: string): JsonObject {
  return optional(name, valueAt(structAt(part, 'metric'), 'selector'))
}

function identifier(part: JsonObject, selectorName: string): JsonObject {
  return { name: valueAt(part, 'metricName') ?? '', ...optional('selector', valueAt(part, selectorName)) }
}

function amount(struct: Struct, key: string): Json {
  return valueAt(struct, key) ?? '0'
}

function optional(name: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value }
}

function isZero(quantity: Json): boolean {
  return typeof quantity === 'string' && parseQuantity(quantity)?.coefficient === 0n
}

/** Writes the behavior with the field names of the internal type: all fields, absent ones as null. */
export function behaviorToInternal(behavior: JsonObject): JsonObject {
  return { ScaleUp: rulesToInternal(behavior, 'scaleUp'), ScaleDown: rulesToInternal(behavior, 'scaleDown') }
}

function rulesToInternal(behavior: JsonObject, name: string): Json {
  const rules = structAt(behavior, name)
  if (rules === undefined) return null
  const policies = structsAt(rules, 'policies')
  return {
    StabilizationWindowSeconds: valueAt(rules, 'stabilizationWindowSeconds') ?? null,
    SelectPolicy: valueAt(rules, 'selectPolicy') ?? null,
    Policies:
      policies.length === 0
        ? null
        : policies.map((policy) => ({
            Type: valueAt(policy, 'type') ?? '',
            Value: valueAt(policy, 'value') ?? 0,
            PeriodSeconds: valueAt(policy, 'periodSeconds') ?? 0,
          })),
    Tolerance: valueAt(rules, 'tolerance') ?? null,
  }
}

/** Returns null if neither direction has rules. Field names match in any case. */
export function behaviorFromInternal(behavior: JsonObject): JsonObject | null {
  const up = rulesFromInternal(anyCase(behavior, 'scaleUp'))
  const down = rulesFromInternal(anyCase(behavior, 'scaleDown'))
  if (up === undefined && down === undefined) return null
  return { ...optional('scaleUp', up), ...optional('scaleDown', down) }
}

function rulesFromInternal(rules: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(rules)) return undefined
  const policies = anyCase(rules, 'policies')
  return {
    ...named(rules, ['stabilizationWindowSeconds', 'selectPolicy', 'tolerance']),
    policies: Array.isArray(policies)
      ? policies.map((policy) => named(isJsonObject(policy) ? policy : {}, ['type', 'value', 'periodSeconds']))
      : null,
  }
}

function named(struct: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, anyCase(struct, name) ?? null]))
}

function anyCase(struct: JsonObject, name: string): Json | undefined {
  const key = Object.keys(struct).find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : own(struct, key)
}
