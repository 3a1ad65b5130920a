// Keys that no spec may set on an object. One row for each.
import { describe, expect, it } from 'vitest'
import { reservedKeyRejection } from '../../../src/controllers/references/reserved-keys.ts'

describe('a key in a spec', () => {
  it.each([
    ['data.konverge.dev/usable-by-backup', true],
    ['konverge.dev/adopt', true],
    ['a.b.konverge.dev/x', true],
    ['Konverge.DEV/adopt', true],
    ['.konverge.dev/x', true],
    ['notkonverge.dev/x', false],
    ['konverge.dev.example/x', false],
    ['example/konverge.dev', false],
    ['konverge.dev', false],
    ['app.kubernetes.io/name', false],
    ['team', false],
  ])('%s is reserved: %s', (key, isReserved) => {
    const rejection = reservedKeyRejection({ 'spec.secret.labels': { team: 'shop', [key]: 'true' } })
    expect(rejection?.reason).toBe(isReserved ? 'ReservedKey' : undefined)
  })

  it('is reported with its field and the remedy', () => {
    expect(reservedKeyRejection({ a: undefined, 'spec.b': { 'konverge.dev/x': '' } }, '. Then eat')).toEqual({
      reason: 'ReservedKey',
      message:
        'spec.b has konverge.dev/x, and keys of konverge.dev and its subdomains are reserved; take it out of the spec. Then eat',
    })
  })

  it('with 256 KiB is read in one pass', () => {
    expect(reservedKeyRejection({ a: { ['konverge.dev.'.repeat(20_000)]: '' } })).toBeUndefined()
  })
})
