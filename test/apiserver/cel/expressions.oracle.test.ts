// Test: every expression of the list has the API server's result on every sample.
import { describe, expect, it } from 'vitest'
import { differences } from './cel-oracle.ts'
import { conditions, texts } from './expressions.ts'
import { pairs, sampleSchema } from './sample-schema.ts'

const perQuestion = 20

describe('rules', () => {
  it('hold, fail and are rejected like in the API server', async () => {
    const rules = [
      ...conditions.map((rule) => ({ rule, message: 'no' })),
      ...texts.map((messageExpression) => ({ rule: 'self.a > 1000000 && false', messageExpression })),
    ]
    const questions = Array.from({ length: Math.ceil(rules.length / perQuestion) }, (_, index) => ({
      schema: sampleSchema(rules.slice(index * perQuestion, (index + 1) * perQuestion)),
      pairs,
    }))
    expect(await differences(questions)).toEqual([])
  })
})
