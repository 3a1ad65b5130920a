import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/telemetry/redact.ts'

const secret = 'c2VjcmV0'

describe('redact', () => {
  it.each([
    { password: secret },
    { token: secret },
    { data: { key: secret } },
    { stringData: { key: secret } },
    { object: { kind: 'Secret', data: { a: secret } } },
    { list: [{ password: secret }] },
    { rootPassword: secret },
    { 'x-auth-token': secret },
    { api_key: secret },
    { Authorization: `Bearer ${secret}` },
    { connectionString: secret },
    { cause: new Error('x', { cause: Object.assign(new Error('y'), { password: secret }) }) },
  ])('hides the secret in %j', (fields) => {
    expect(JSON.stringify(redact(fields))).not.toContain(secret)
  })

  it.each([
    { secretName: 'db-root', tokenExpiresInMs: 5, data: 3, hasToken: true, password: undefined },
    { namespace: 'shop', causes: [{ kind: 'child', detail: 'Pod shop/a' }], generation: 1, none: null },
  ])('keeps non-secret fields: %j', (fields) => {
    expect(redact(fields)).toEqual(fields)
  })

  it('accepts values that JSON cannot represent', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const odd = {
      big: 1n,
      run: () => 1,
      bytes: new Uint8Array(3),
      set: new Set([1]),
      at: new Date(Number.NaN),
      circular,
    }
    expect(redact(odd)).toMatchObject({ big: '1', run: '[function]', bytes: '[binary]', set: [1], at: '[no date]' })
    expect(JSON.stringify(redact(odd)).length).toBeLessThan(300)
  })

  it('bounds its output', () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]))
    expect(redact(wide)).toHaveProperty('[more]', 400)
    expect(redact(Array.from({ length: 500 }, () => 0))).toHaveLength(101)
    expect(JSON.stringify(redact('x'.repeat(100_000))).length).toBeLessThan(9_000)
  })

  it('never throws and always returns JSON', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (value) => {
        JSON.stringify(redact(value))
      }),
    )
  })
})
