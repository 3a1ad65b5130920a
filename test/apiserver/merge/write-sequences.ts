// Sequences of writes by several managers to one object, as questions for the control plane and for this server.
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { changedGranularity, type Dice, randomMetadata, randomSchema, randomValue } from './custom-kinds.ts'

export interface Write {
  readonly apiVersion?: string
  readonly manager: string
  readonly subresource: string
  readonly force?: boolean
  /** Configuration of an apply. */
  readonly apply?: Json
  /** Merge patch that yields the object of an update. */
  readonly patch?: Json
}

export interface WriteSequences {
  readonly apiVersion: string
  readonly kind: string
  /** Schemas by version; absent for a built-in kind. */
  readonly schemas?: Readonly<Record<string, JsonObject>>
  readonly resetFields: Readonly<Record<string, readonly (readonly string[])[]>>
  /** Writes to each object. */
  readonly objects: readonly (readonly Write[])[]
}

const managers = ['one', 'two', 'three', 'kubectl', 'fo<ur'] as const
const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

export function randomSequences(dice: Dice): WriteSequences {
  const spec = {
    type: 'object',
    properties: { a: randomSchema(dice, 3), b: randomSchema(dice, 2), c: randomSchema(dice, 1) },
  }
  const properties = { spec: dice.chance(0.1) ? randomSchema(dice, 3) : spec, status: randomSchema(dice, 2) }
  const schema = {
    type: 'object',
    properties,
    ...(dice.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  }
  const other = changedGranularity(dice, schema) as JsonObject
  const schemas = dice.chance(0.4) ? { v1: schema, v2: other } : { v1: schema }
  const versions = Object.keys(schemas)
  const resetFields = dice.chance(0.8) ? { '': [['status']], status: [['spec'], ['metadata', 'labels']] } : {}
  const randomWrites = (): Write[] =>
    Array.from({ length: dice.between(2, 14) }, (_, index) => {
      const version = versions[dice.between(0, versions.length - 1)] ?? 'v1'
      return randomWrite(dice, version === 'v2' ? other : schema, `test.dev/${version}`, index)
    })
  const objects = Array.from({ length: 8 }, randomWrites)
  return { apiVersion: 'test.dev/v1', kind: 'Test', schemas, resetFields, objects }
}

function randomWrite(dice: Dice, schema: JsonObject, apiVersion: string, index: number): Write {
  const manager = dice.chance(0.1) ? `m${dice.between(1, 14)}` : dice.pick(managers)
  const subresource = index > 0 && dice.chance(0.2) ? 'status' : ''
  const head = { apiVersion, manager, subresource, force: dice.chance(0.4) }
  if (dice.chance(0.6)) {
    const wildness = { fault: dice.chance(0.15) ? 0.05 : 0, density: dice.pick([0.3, 0.6, 0.9]) }
    return { ...head, apply: configuration(dice, schema, apiVersion, wildness) }
  }
  const value = randomValue(dice, schema, { fault: 0.03, density: 0.5 })
  const metadata = {
    ...randomMetadata(dice),
    ...(index === 0 ? { name: 'it', namespace: 'here' } : {}),
    ...wished(dice),
  }
  const lastApplied = dice.chance(0.15)
    ? {
        annotations: {
          [annotation]: JSON.stringify(configuration(dice, schema, apiVersion, { fault: 0, density: 0.6 })),
        },
      }
    : {}
  const rest = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  return { ...head, patch: { ...rest, metadata: { ...metadata, ...lastApplied } } }
}

function configuration(
  dice: Dice,
  schema: JsonObject,
  apiVersion: string,
  wildness: { fault: number; density: number },
): Json {
  const value = randomValue(dice, schema, { ...wildness, fault: wildness.fault / 2 })
  const rest = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const isOff = dice.chance(wildness.fault)
  const metadata: JsonObject = {
    name: 'it',
    namespace: 'here',
    ...randomMetadata(dice),
    ...(isOff ? { managedFields: [] } : {}),
  }
  const undeclared = dice.chance(wildness.fault) ? { extra: 1 } : {}
  return {
    ...rest,
    ...undeclared,
    apiVersion: dice.chance(wildness.fault) ? 'test.dev/v9' : apiVersion,
    kind: 'Test',
    metadata,
  }
}

/** Returns changes that users make to managedFields. */
function wished(dice: Dice): JsonObject {
  if (!dice.chance(0.1)) return {}
  const entry = {
    manager: 'wish',
    operation: 'Update',
    apiVersion: 'test.dev/v1',
    fieldsType: 'FieldsV1',
    time: '2024-01-01T02:00:00+01:00',
  }
  return {
    managedFields: dice.pick<Json>([
      [],
      [{}],
      [
        {
          ...entry,
          fieldsV1: {
            'f:spec': {
              'f:b': {},
              'f:a': { 'k:{"port":443,"protocol":"TCP"}': {}, 'k:{"protocol":"TCP","port":80}': {}, '.': {} },
            },
          },
        },
      ],
      [{ ...entry, fieldsV1: { spec: {} } }],
      [{ ...entry, fieldsV1: { 'k:{': {} } }],
      [{ ...entry, operation: 'Other', fieldsV1: {} }],
      [{ ...entry, apiVersion: '', fieldsV1: {} }],
      [{ ...entry, fieldsType: 'FieldsV2', fieldsV1: {} }],
      [{ ...entry, time: 'yesterday', fieldsV1: {} }],
      [{ ...entry, operation: 'Apply', time: null, fieldsV1: { 'f:spec': {}, 'x:later': {} } }],
      null,
    ]),
  }
}
