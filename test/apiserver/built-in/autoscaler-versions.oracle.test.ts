import { expect, it } from 'vitest'
import { AutoscalerVersions } from '../../../src/apiserver/built-in/autoscaler-versions.ts'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { type BuiltInKind, DecodeError, decodeBuiltIn } from '../../../src/apiserver/built-in/codec.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { ask } from '../../oracles/oracle.ts'
import { RandomObjects, seededNumbers } from './random-object.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const loader = new BuiltInDataLoader()

function autoscalers(version: string): BuiltInKind {
  const kind = loader.kind({ group: 'autoscaling', version, kind: 'HorizontalPodAutoscaler' })
  if (kind === undefined) throw new Error('no autoscalers')
  return kind
}

const v1 = autoscalers('v1')
const v2 = autoscalers('v2')
const versions = new AutoscalerVersions(v1, v2)

function random(kind: BuiltInKind, seed: number): JsonObject[] {
  const objects = new RandomObjects({
    next: seededNumbers(seed),
    faultPercent: 0,
    emptyPercent: 2,
    isWellFormed: true,
    isMeaningful: true,
  })
  return Array.from({ length: 1_000 * runs }, () => decoded(kind, objects))
}

function decoded(kind: BuiltInKind, objects: RandomObjects): JsonObject {
  for (;;) {
    try {
      return decodeBuiltIn(kind, objects.value(kind.type) as JsonObject).object // A struct is generated as an object.
    } catch (thrown) {
      if (!(thrown instanceof DecodeError)) throw thrown
    }
  }
}

async function differing(
  objects: readonly JsonObject[],
  from: BuiltInKind,
  convert: (object: JsonObject) => JsonObject,
) {
  const to = { group: 'autoscaling', version: from === v1 ? 'v2' : 'v1' }
  const kind = { group: from.group, version: from.version, kind: from.kind }
  const answers = await ask(
    'built-in-codec',
    objects.map((body) => ({ kind, body, hub: true, to })),
  )
  return objects.flatMap((object, index) => {
    const { value, error } = answers[index] ?? {}
    const theirs = value === undefined ? error : wireJson((value as { readonly object: JsonObject }).object)
    const ours = wireJson(convert(object))
    return ours === theirs ? [] : [{ object: wireJson(object), ours, theirs }]
  })
}

const toV1 = (object: JsonObject) => versions.toV1(object)
const toV2 = (object: JsonObject) => versions.toV2(object)

it('converts autoscalers to v1 like the control plane', async () => {
  expect((await differing(random(v2, 1), v2, toV1)).slice(0, 3)).toEqual([])
})

it('stores autoscalers of v1 like the control plane, including the fields in annotations', async () => {
  const carried = random(v2, 2).map(toV1)
  expect((await differing([...random(v1, 3), ...carried], v1, toV2)).slice(0, 3)).toEqual([])
})
