// Order and hash of a set of objects: by wave, then by identity. Construct ids do not count: cdk8s reorders ids like
// `1` and `2`, and a moved construct must change nothing.
import { hashJson, type Json } from '../base/json.ts'
import { asJson } from '../object/object.ts'
import { groupKindOf } from '../object/resource.ts'
import type { Dependency, DesiredObject, DesiredSet } from './desired.ts'

/** Returns the frozen, sorted set of these objects, and renumbers their dependencies. */
export function desiredSetOf(unordered: readonly DesiredObject[]): DesiredSet {
  const sorted = unordered.map((item, from) => ({ item, from, place: placeOf(item) })).sort(byPlace)
  const positions = new Map(sorted.map(({ from }, to) => [from, to]))
  const renumbered = new Map<Dependency, Dependency>()
  for (const dependency of new Set(unordered.flatMap(({ dependsOn }) => dependsOn))) {
    const on = dependency.on.map((from) => positions.get(from) ?? from).sort((left, right) => left - right)
    renumbered.set(dependency, Object.freeze({ on: Object.freeze(on), waitsForReady: dependency.waitsForReady }))
  }
  const objects = sorted.map(({ item }): DesiredObject => {
    const dependsOn = item.dependsOn.map((dependency) => renumbered.get(dependency) ?? dependency)
    return Object.freeze({ ...item, dependsOn: Object.freeze(dependsOn) })
  })
  return Object.freeze({ objects: Object.freeze(objects), hash: hashJson(objects.map(appliedPart)) })
}

interface Sortable {
  readonly item: DesiredObject
  readonly place: readonly string[]
}

function placeOf({ object }: DesiredObject): readonly string[] {
  return [groupKindOf(object), object.metadata.namespace ?? '', object.metadata.name]
}

function byPlace(left: Sortable, right: Sortable): number {
  if (left.item.wave !== right.item.wave) return left.item.wave - right.item.wave
  for (const [index, text] of left.place.entries()) {
    const other = right.place[index] ?? ''
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}

/** The part of an object that the applier reads. Waves are in the objects' annotations. */
function appliedPart({ object, dependsOn, policies }: DesiredObject): Json {
  return {
    object: asJson(object),
    gates: dependsOn.filter(({ waitsForReady }) => waitsForReady).map(({ on }) => on),
    shared: policies.shared.map(({ text }) => text),
    initialOnly: policies.initialOnly.map(({ text }) => text),
    recreateOnChange: policies.recreateOnChange ?? null,
    contribute: policies.contribute,
    coOwn: policies.coOwn,
    hold: policies.hold ?? null,
    retain: policies.retain,
  }
}
