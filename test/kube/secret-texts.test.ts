import { describe, expect, it } from 'vitest'
import { secretTexts, withoutSecretTexts } from '../../src/kube/secret-texts.ts'
import { secretText } from '../taint/secret-text.ts'

const password = secretText('quoted')
const base64 = Buffer.from(password).toString('base64')

describe('texts of Secrets', () => {
  it('are its values, encoded and not', () => {
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
  ])('are taken out of %j', (message, expected) => {
    const texts = [password, base64, 'x', 'say "x"', 'db.example.org', 'a"b\\c"d-Word']
    expect(withoutSecretTexts(message, texts)).toBe(expected)
  })

  it('make a message no longer by being there many times', () => {
    expect(
      withoutSecretTexts(
        'a redacted] b',
        Array.from({ length: 1_000 }, () => 'redacted]'),
      ).length,
    ).toBeLessThan(100)
  })

  it('are taken out where JSON has escaped them', () => {
    expect(withoutSecretTexts(`it was ${JSON.stringify('a"b\\c"d-Word')}`, ['a"b\\c"d-Word'])).toBe(
      'it was "[redacted]"',
    )
  })
})
