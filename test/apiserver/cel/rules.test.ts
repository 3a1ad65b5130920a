// Tests of CEL rules: errors in rules, results on objects, and bounded time.
import { describe, expect, it } from 'vitest'
import { compileRules } from '../../../src/apiserver/cel/rules.ts'
import { errorText } from '../../../src/apiserver/field-error.ts'
import { compileSchema } from '../../../src/apiserver/schema/schema.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { full, sampleSchema } from './sample-schema.ts'

function compiled(...rules: JsonObject[]) {
  return compileRules(compileSchema(sampleSchema(rules)), { path: 'schema' })
}

function verdict(rule: JsonObject, spec: Json = full, old?: Json): readonly string[] {
  const { program } = compiled(rule)
  const before = old === undefined ? undefined : { spec: old }
  return program?.validate({ object: { spec }, old: before, field: '' }).map(errorText) ?? []
}

describe('the rules of a schema', () => {
  it('are empty for a schema without rules', () => {
    const schema = compileSchema({ type: 'object' })
    expect(compileRules(schema, { path: 'schema' })).toEqual({ errors: [], program: undefined })
  })

  it.each([
    ['self.nope == 1', "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1\n | ....^"],
    ["'é' == ü", "<input>:1:8: Syntax error: token recognition error at: 'ü'\n | 'é' == ü\n | .．.....＾"],
    ['self.a', 'cel expression must evaluate to a bool'],
    ['math.abs(self.a) > 1', "undeclared reference to 'abs' (in container '')"],
    ['self.s == self.a', "found no matching overload for '_==_' applied to '(string, int)'"],
  ])('refuse %s', (rule, why) => {
    const texts = compiled({ rule }).errors.map(errorText)
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain('schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: ')
    expect(texts[0]).toContain(why)
  })

  it('refuse a rule of two lines for its first', () => {
    const [error] = compiled({ rule: 'nope\n== 1', message: 'no' }).errors.map(errorText)
    expect(error).toContain("ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^")
  })

  it('reject a rule that could cost too much', () => {
    const unbounded = { type: 'array', items: { type: 'string' } }
    const rule = 'self.all(x, self.all(y, x == y))'
    const schema = compileSchema({
      type: 'object',
      properties: { list: { ...unbounded, 'x-kubernetes-validations': [{ rule }] } },
    })
    expect(compileRules(schema, { path: 'schema' }).errors.map(errorText)[0]).toMatch(
      /^schema\.properties\[list\]\.x-kubernetes-validations\[0\]\.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x/,
    )
  })

  it('report message, reason and field of a violation', () => {
    expect(verdict({ rule: 'self.a > 5' })).toEqual(['spec: Invalid value: failed rule: self.a > 5'])
    expect(verdict({ rule: 'self.a > 5', message: 'too few', reason: 'FieldValueForbidden', fieldPath: '.a' })).toEqual(
      ['spec.a: Forbidden: too few'],
    )
    expect(verdict({ rule: 'false', messageExpression: "'a is ' + string(self.a)" })).toEqual([
      'spec: Invalid value: a is 5',
    ])
    expect(verdict({ rule: "self.m['two'] == 2" })).toEqual([
      'spec: Invalid value: "object": no such key: two evaluating rule: self.m[\'two\'] == 2',
    ])
  })

  it('evaluate transition rules only on an update', () => {
    const rule = { rule: 'self.a >= oldSelf.a', message: 'a only grows' }
    expect(verdict(rule)).toEqual([])
    expect(verdict(rule, full, { ...full, a: 9 })).toEqual(['spec: Invalid value: a only grows'])
    expect(verdict({ rule: '!oldSelf.hasValue()', optionalOldSelf: true }, full, { ...full, a: 9 })).toHaveLength(1)
  })

  it('only warn about unchanged values', () => {
    const { program } = compiled({ rule: 'self.a > 5', message: 'too few' })
    const object = { spec: { a: 5 } }
    const judged = program?.judge({ object, old: object, field: '' })
    expect(judged?.errors).toEqual([])
    expect(judged?.warnings).toEqual(['spec: Invalid value: too few'])
  })

  it.each([
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('^(a+)+$')"],
    ['lists.range(1000000000).size() > 0'],
    ['self.l.all(a, lists.range(100000).all(b, lists.range(100000).all(c, b != c + 1000000)))'],
    ['self.ls.map(x, self.ls + self.ls + self.ls).all(y, self.ls.map(z, y + y).size() >= 0)'],
  ])('end within bounded time: %s', (rule) => {
    // CPU time of this process: wall time would include other processes.
    const before = process.cpuUsage()
    verdict({ rule, message: 'no' })
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000_000).toBeLessThan(10)
  })
})
