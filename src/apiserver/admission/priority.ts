// Admission of pod priority: the pod's PriorityClass, or the default one, sets the number.
// Source: k8s.io/kubernetes/plugin/pkg/admission/priority.
import type { JsonObject } from '../../base/json.ts'
import {
  integerAt,
  isTrueAt,
  mapAt,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  textAt,
  valueAt,
  withField,
  withStruct,
} from '../built-in/field-walk.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { refusal } from './namespace-lifecycle.ts'

const shelf = 'priorityclasses.scheduling.k8s.io'

export const priorityAdmission: AdmissionPlugin = {
  mutate: (request) => {
    const { object, old, operation, resource, subresource } = request
    if (resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return object
    return withStruct(object, 'spec', (spec) =>
      operation === 'CREATE' ? ranked(spec, request) : keptRank(spec, structAt(old, 'spec')),
    )
  },
  validate: (request) => {
    const { object, operation, resource, subresource, world } = request
    const isClass = resource.group === 'scheduling.k8s.io' && resource.plural === 'priorityclasses'
    if (!isClass || subresource !== '' || operation === 'DELETE' || !isTrueAt(object, 'globalDefault')) return
    const name = textAt(mapAt(defaultClass(world) ?? {}, 'metadata'), 'name')
    const isOther = operation === 'CREATE' || name !== request.name
    if (name !== '' && isOther)
      throw refusal(request, `PriorityClass ${name} is already marked as default. Only one default can exist`)
  },
}

/** Keeps the stored values if the client omits these fields. */
function keptRank(spec: JsonObject, before: Struct): JsonObject {
  return ['priority', 'preemptionPolicy'].reduce((result, key) => {
    const value = valueAt(before, key)
    return value === undefined || valueAt(result, key) !== undefined ? result : withField(result, key, value)
  }, spec)
}

function ranked(spec: JsonObject, request: AdmissionRequest): JsonObject {
  const { name, value, preemption } = rankOf(textAt(spec, 'priorityClassName'), request)
  const given = optionalIntegerAt(spec, 'priority')
  if (given !== undefined && given !== value)
    throw refusal(
      request,
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  const policy = optionalTextAt(spec, 'preemptionPolicy')
  if (preemption !== undefined && policy !== undefined && policy !== preemption)
    throw refusal(
      request,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemption} from the given PriorityClass name`,
    )
  const classed = name === '' ? spec : withField(spec, 'priorityClassName', name)
  const valued = withField(classed, 'priority', value)
  return preemption === undefined ? valued : withField(valued, 'preemptionPolicy', preemption)
}

interface Rank {
  readonly name: string
  readonly value: number
  readonly preemption: string | undefined
}

function rankOf(name: string, request: AdmissionRequest): Rank {
  const { world } = request
  const found = name === '' ? defaultClass(world) : world.get({ shelf, namespace: '', name })?.object
  if (found === undefined && name !== '') throw refusal(request, `no PriorityClass with name ${name} was found`)
  if (found === undefined) return { name: '', value: 0, preemption: 'PreemptLowerPriority' }
  return {
    name: textAt(mapAt(found, 'metadata'), 'name'),
    value: integerAt(found, 'value'),
    preemption: optionalTextAt(found, 'preemptionPolicy'),
  }
}

/** Returns the default class; of several, the one with the lowest value. */
function defaultClass(world: AdmissionRequest['world']): JsonObject | undefined {
  return world
    .list(shelf)
    .map(({ object }) => object)
    .filter((candidate) => isTrueAt(candidate, 'globalDefault'))
    .reduce<JsonObject | undefined>(
      (lowest, candidate) =>
        lowest === undefined || integerAt(candidate, 'value') < integerAt(lowest, 'value') ? candidate : lowest,
      undefined,
    )
}
