import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isScramVerifier,
  passwordProblem,
  scramVerifier,
  verifierMatches,
} from '../../../../src/controllers/engines/postgres/scram.ts'

describe('a SCRAM verifier', () => {
  it('equals the one that RFC 7677 computes in its example', () => {
    // Salt and count are those of the example. StoredKey and ServerKey follow from its proof and signature, which a
    // server checks.
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
    expect(scramVerifier({ password: 'pencil', salt })).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    )
  })

  it('belongs to exactly one password', () => {
    const password = fc.stringMatching(/^[\x20-\x7e]{1,40}$/)
    const ask = fc.record({ password, salt: fc.uint8Array({ minLength: 16, maxLength: 16 }) })
    fc.assert(
      fc.property(ask, password, (one, other) => {
        const verifier = scramVerifier({ ...one, iterations: 2 })
        expect(isScramVerifier(verifier)).toBe(true)
        expect(verifierMatches(verifier, one.password)).toBe(true)
        expect(verifierMatches(verifier, other)).toBe(one.password === other)
        expect(verifier).not.toContain(one.password.length > 3 ? one.password : '\0')
      }),
      { numRuns: 300 },
    )
  })

  it.each(['', 'secret', 'md5d41d8cd98f00b204e9800998ecf8427e', 'SCRAM-SHA-256$4096:c2FsdA==$short:short'])(
    'is not %j',
    (text) => {
      expect(isScramVerifier(text)).toBe(false)
      expect(verifierMatches(text, 'secret')).toBe(false)
    },
  )

  it.each([
    ['', 'empty'],
    ['grüße', 'printable ASCII'],
    ['tab\there', 'printable ASCII'],
    ['x'.repeat(1_001), 'longer'],
  ])('is rejected for %j without showing it', (password, why) => {
    expect(passwordProblem(password)).toContain(why)
    expect(() => scramVerifier({ password, salt: Buffer.alloc(16) })).toThrow(why)
    if (password !== '') expect(passwordProblem(password)).not.toContain(password)
  })

  it('accepts every printable character', () => {
    expect(passwordProblem(' !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~')).toBeUndefined()
  })
})
