import { describe, expect, it } from 'vitest'
import { withoutValues } from '../../src/kube/quoted-values.ts'
import { secretTexts, valueTexts } from '../../src/kube/value-texts.ts'
import { secretText } from '../taint/secret-text.ts'

const password = secretText('quoted')
const base64 = Buffer.from(password).toString('base64')

describe('texts of Secrets', () => {
  it('are its values, encoded and decoded', () => {
    const metadata = { name: 'a', namespace: 'b' }
    const secret = { kind: 'Secret', metadata, data: { password: base64, none: '' }, stringData: { word: 'x' } }
    expect(secretTexts(secret)).toEqual({ key: 'b/a', texts: [base64, password, 'x'] })
    expect(secretTexts({ ...secret, kind: 'ConfigMap' })).toBeUndefined()
    expect(secretTexts({ kind: 'Secret', data: 'x' })).toBeUndefined()
    expect(secretTexts({ kind: 'Secret', metadata, data: ['x'] })).toEqual({ key: 'b/a', texts: [] })
  })

  it.each([
    [`spec.a: Invalid value: "${password}": too long`, 'spec.a: Invalid value: "[redacted]": too long'],
    [`webhook denied: the password ${password} is weak`, 'webhook denied: the password [redacted] is weak'],
    [`data: Invalid value: "${base64}"`, 'data: Invalid value: "[redacted]"'],
    ['spec.a: Invalid value: "x": too short', 'spec.a: Invalid value: "[redacted]": too short'],
    ['spec.a: Unsupported value: "say \\"x\\"": no', 'spec.a: Unsupported value: "[redacted]": no'],
    ['pods "x" not found', 'pods "x" not found'],
    ['Secret db.example.org is missing', 'Secret db.example.org is missing'],
  ])('are removed from %j', (message, expected) => {
    const texts = [password, base64, 'x', 'say "x"', 'db.example.org', 'a"b\\c"d-Word']
    expect(withoutValues(message, texts)).toBe(expected)
  })

  it('do not make a message longer by many occurrences', () => {
    expect(
      withoutValues(
        'a redacted] b',
        Array.from({ length: 1_000 }, () => 'redacted]'),
      ).length,
    ).toBeLessThan(100)
  })

  it('are removed if JSON has escaped them', () => {
    expect(withoutValues(`it was ${JSON.stringify('a"b\\c"d-Word')}`, ['a"b\\c"d-Word'])).toBe('it was "[redacted]"')
  })
})

describe('a rejection of the API server', () => {
  it.each([
    ['spec.password: Invalid value: "S3cr3t": too short', 'spec.password: Invalid value: "[redacted]": too short'],
    [
      'a: Invalid value: "say \\"x\\": b": no, b: Duplicate value: "c"',
      'a: Invalid value: "[redacted]": no, b: Duplicate value: "[redacted]"',
    ],
    ['spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated', undefined],
    ['spec: Invalid value: "object": password must not be empty', undefined],
    ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"', undefined],
    ['data: Invalid value: "null"', undefined],
    ['spec.x: Required value', undefined],
    ['[a: Invalid value: 1Gi: too small, b: Invalid value: -1: negative]', undefined],
    [
      'spec: Invalid value: core.PodSpec{A:"x", B:map[string]string{"p":"S3cr3t: x"}}: no',
      'spec: Invalid value: "[redacted]": no',
    ],
    ['spec: Invalid value: {"password":"S3cr3t","more":[1]}: no', 'spec: Invalid value: "[redacted]": no'],
    ['spec: Invalid value: map[password:S3cr3t', 'spec: Invalid value: "[redacted]"'],
    ['configmaps "x" is forbidden: Not found: "S3cr3t"', 'configmaps "x" is forbidden: Not found: "[redacted]"'],
  ])('%j quotes no value', (message, expected = message) => {
    expect(withoutValues(message, [])).toBe(expected)
  })

  it('quotes no value of its request, wherever a webhook writes it', () => {
    const spec = { rules: [{ token: 'aB3$longer' }], name: 'front' }
    const annotations = { note: 'Quite Private' }
    const body = { apiVersion: 'a/v1', kind: 'Door', metadata: { name: 'front-Door', annotations }, spec }
    const message = 'Door front-Door: token aB3$longer of front is weak (Quite Private)'
    expect(withoutValues(message, valueTexts(body))).toBe(
      'Door front-Door: token [redacted] of front is weak ([redacted])',
    )
  })

  it('finds the values of a deeply nested request too', () => {
    let spec: object = { word: 'deep-Down-here' }
    for (let depth = 0; depth < 100_000; depth++) spec = { spec }
    expect(valueTexts({ spec })).toEqual(['deep-Down-here'])
    expect(valueTexts('text')).toEqual([])
  })
})
