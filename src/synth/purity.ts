// Checks that `desired` gives the same bytes for the same input. Tests and `konverge preview` call it, never a
// reconcile: an impure `desired` would apply another set each time. It cannot detect a clock that is read twice within
// one millisecond.
import { deepEqual, isJsonList, isJsonObject, type Json } from '../base/json.ts'
import { asJson } from '../object/object.ts'
import type { DesiredSet } from './desired.ts'
import { type SynthInput, synthesize } from './synth.ts'
import { SynthError } from './synth-errors.ts'

/**
 * Synthesizes twice and returns the set. Throws a SynthError of code `ImpureBuild` that names the first different
 * field.
 */
export function assertPure(input: SynthInput): DesiredSet {
  const parentBefore = structuredClone(asJson(input.parent))
  const first = synthesize(input)
  const second = synthesize(input)
  const changed = firstDifference(parentBefore, asJson(input.parent))
  if (changed !== undefined)
    throw impure(`desired changed ${changed} of the resource it is given; copy before changing`)
  const differing = firstDifference(comparable(first), comparable(second))
  if (differing === undefined) return first
  const reason = 'use facts instead of clocks, random numbers, counters and the environment'
  throw impure(`desired gave different values for ${differing} in two runs on the same input; ${reason}`)
}

/** Keys objects by name, so that an added or missing object does not show as a change of all that follow. */
function comparable({ objects }: DesiredSet): Json {
  return Object.fromEntries(
    objects.map(({ object, dependsOn, policies, constructPath }) => [
      `${object.kind} ${object.metadata.name}`,
      {
        object: asJson(object),
        dependsOn: dependsOn.map(({ on, waitsForReady }) => ({ on, waitsForReady })),
        policies: JSON.stringify(policies),
        constructPath,
      },
    ]),
  )
}

/** Returns the pointer to the first difference of two values, as `/spec/replicas`; undefined if they are equal. */
function firstDifference(left: Json | undefined, right: Json | undefined): string | undefined {
  if (deepEqual(left, right)) return undefined
  if (isJsonList(left) && isJsonList(right) && left.length === right.length) {
    const index = left.findIndex((item, place) => !deepEqual(item, right[place]))
    return `/${index}${firstDifference(left[index], right[index]) ?? ''}`
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return ''
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  const key = [...keys].find((name) => !deepEqual(left[name], right[name])) ?? ''
  return `/${key}${firstDifference(left[key], right[key]) ?? ''}`
}

function impure(message: string): SynthError {
  return new SynthError({ code: 'ImpureBuild', message })
}
