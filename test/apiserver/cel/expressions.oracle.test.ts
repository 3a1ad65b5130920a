// Every expression of the list says on every sample what the API server's rules say.
import { describe, expect, it } from 'vitest'
import { differences } from './cel-oracle.ts'
import { conditions, texts } from './expressions.ts'
import { pairs, sampleSchema } from './sample-schema.ts'

const perQuestion = 20

describe('rules', () => {
  it('hold, fail and are refused as with the API server', async () => {
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
