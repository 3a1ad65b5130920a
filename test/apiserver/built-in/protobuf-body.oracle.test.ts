import { expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { readProtobuf } from '../../../src/apiserver/built-in/protobuf-body.ts'
import { WireError } from '../../../src/apiserver/built-in/wire-message.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { typedKinds } from '../../control-plane/built-in-data.ts'
import { ask } from '../../oracles/oracle.ts'
import { RandomObjects, seededNumbers } from './random-object.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const loader = new BuiltInDataLoader()

interface Sent {
  readonly sent: string
  readonly object: JsonObject
}

/** Returns random objects of every kind as Go sends them, with Go's own decoding. */
async function sentObjects(casesPerKind: number): Promise<Sent[]> {
  const questions = typedKinds.flatMap((kind, index) => {
    const random = new RandomObjects({
      next: seededNumbers(index + 1),
      faultPercent: 0,
      emptyPercent: 6,
      isWellFormed: true,
    })
    const type = loader.kind(kind)?.type
    if (type === undefined) throw new Error(`no type for ${kind.kind}`)
    return Array.from({ length: casesPerKind * runs }, () => ({ kind: { ...kind }, body: random.value(type) }))
  })
  const answers = await ask('protobuf-body', questions)
  return answers.flatMap(({ value }) => (value === undefined ? [] : [value as unknown as Sent])) // The oracle's own form.
}

function read(body: Uint8Array): JsonObject | undefined {
  return readProtobuf(body, (kind) => loader.kind(kind)?.type)
}

/** Removes nulls, which readers of an object treat as absent. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item))
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).flatMap(([key, field]) =>
    field === null || field === undefined ? [] : [[key, withoutNulls(field)] as const],
  )
  return Object.fromEntries(fields)
}

it('decodes a protobuf body like the control plane', async () => {
  const all = await sentObjects(100)
  expect(all.length).toBeGreaterThan(3_000 * runs)
  for (const { sent, object } of all)
    expect(withoutNulls(read(Buffer.from(sent, 'base64')) ?? null)).toEqual(withoutNulls(object))
})

it('rejects truncated or changed bodies without any other failure', async () => {
  const next = seededNumbers(7)
  const refused = (await sentObjects(4)).filter(({ sent }) => {
    const body = Buffer.from(sent, 'base64')
    const at = Math.floor(next() * body.length)
    const changed = next() < 0.5 ? body.subarray(0, at) : body.fill(Math.floor(next() * 256), at, at + 1)
    try {
      read(changed)
      return false
    } catch (thrown) {
      if (thrown instanceof WireError) return true
      throw thrown
    }
  })
  expect(refused.length).toBeGreaterThan(50)
})
