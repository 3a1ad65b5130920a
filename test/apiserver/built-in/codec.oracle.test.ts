import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { DecodeError, decodeBuiltIn } from '../../../src/apiserver/built-in/codec.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { typedKinds } from '../../control-plane/built-in-data.ts'
import { ask } from '../../oracles/oracle.ts'
import { RandomObjects, seededNumbers } from './random-object.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const loader = new BuiltInDataLoader()

/** Returns our and the oracle's answers that differ, as texts, so that the order of fields counts. */
async function differing(faultPercent: number, casesPerKind: number): Promise<unknown[]> {
  const questions = typedKinds.flatMap((kind, index) => {
    const random = new RandomObjects({ next: seededNumbers(index + 1), faultPercent, emptyPercent: 6 })
    const found = loader.kind(kind)
    if (found === undefined) throw new Error(`no type for ${kind.kind}`)
    return Array.from({ length: casesPerKind * runs }, () => ({
      found,
      kind: { ...kind },
      body: random.value(found.type) as JsonObject, // A struct is generated as an object.
      plain: !found.isKeptAsProto,
    }))
  })
  const answers = await ask(
    'built-in-codec',
    questions.map(({ kind, body, plain }) => ({ kind, body, plain })),
  )
  return questions.flatMap(({ found, body }, index) => {
    const { value, error } = answers[index] ?? {}
    const theirs = value === undefined ? error : wireJson(value)
    const ours = answerTo(() => decodeBuiltIn(found, body))
    return ours === theirs ? [] : [{ kind: found.kind, body: wireJson(body), ours, theirs }]
  })
}

function answerTo(decode: () => { readonly object: Json; readonly strictErrors: readonly string[] }): string {
  try {
    const { object, strictErrors } = decode()
    return wireJson({ object, strictErrors })
  } catch (thrown) {
    if (thrown instanceof DecodeError) return thrown.reason
    throw thrown
  }
}

describe('a body of a built-in kind', () => {
  it('is decoded and encoded like in the control plane', async () => {
    expect((await differing(0.1, 150)).slice(0, 3)).toEqual([])
  })

  it('is rejected like in the control plane when it is invalid', async () => {
    expect((await differing(3, 150)).slice(0, 3)).toEqual([])
  })
})
