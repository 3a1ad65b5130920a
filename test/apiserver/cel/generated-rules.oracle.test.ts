// Test: rules generated from a grammar have the API server's result on generated objects.
// Rules stand at every path of a schema; objects are new or changed.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { type CelQuestion, differences } from './cel-oracle.ts'
import { RuleGenerator } from './rule-generator.ts'

const runs = Number(process.env['KONVERGE_ORACLE_RUNS'] ?? 1)
const [schemas, rulesEach, pairsEach] = [60 * runs, 16, 16]

describe('generated rules', () => {
  it(`agree with the API server on ${schemas * rulesEach * pairsEach} judgements`, async () => {
    const generator = new RuleGenerator(1)
    const questions = Array.from({ length: schemas }, (): CelQuestion => {
      const schema = generator.schema(rulesEach)
      const pairs = Array.from(
        { length: pairsEach },
        (_, index): readonly [JsonObject] | readonly [JsonObject, JsonObject] => {
          const object = generator.object()
          return index % 2 === 0 ? [object] : [generator.successor(object), object]
        },
      )
      return { schema, pairs }
    })
    expect(await differences(questions)).toEqual([])
  })
})
