// CEL library of regular expressions. Source: k8s.io/apiserver/pkg/cel/library/regex.go.
import { type RegularExpression, RegularExpressionError, regularExpression } from '../../regular-expression.ts'
import type { Library } from '../function-table.ts'
import { PlainList } from '../list-value.ts'
import { CelError, type Value } from '../value.ts'

function withPattern(pattern: string, use: (expression: RegularExpression) => Value): Value {
  try {
    return use(regularExpression(pattern))
  } catch (thrown) {
    if (thrown instanceof RegularExpressionError) return new CelError(`Illegal regex: ${thrown.message}`)
    throw thrown
  }
}

function findAll(text: string, pattern: string, limit: bigint): Value {
  const count = limit < 0n || limit > BigInt(text.length) ? -1 : Number(limit)
  return withPattern(pattern, (expression) => new PlainList(expression.findAll(text, count)))
}

export const regularExpressions: Library = {
  find: {
    overloads: {
      string_find_string: [
        'string.(string): string',
        (text: string, pattern: string) => withPattern(pattern, (expression) => expression.find(text) ?? ''),
      ],
    },
  },
  findAll: {
    overloads: {
      string_find_all_string: [
        'string.(string): list(string)',
        (text: string, pattern: string) => findAll(text, pattern, -1n),
      ],
      string_find_all_string_int: ['string.(string, int): list(string)', findAll],
    },
  },
}
