import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { secretText } from './secret-text.ts'
import { Taint } from './taint.ts'

const value = 'pa$$ "word" ü/9\\ä+Zq7Rk2Lm8'
const token = secretText('a token')

function leaksOf(secret: string, output: string) {
  const taint = new Taint()
  taint.add(secret, 'Secret shop/server key password')
  taint.note('log', output)
  return taint.takeLeaks()
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a Secret value in output', () => {
  it.each([
    ['plain', `before ${value} after`],
    ['in JSON', JSON.stringify({ a: `x${value}` })],
    ['in JSON in JSON', JSON.stringify({ a: JSON.stringify({ b: value }) })],
    ['URL-encoded', `postgres://u:${encodeURIComponent(value)}@h`],
    ['URL-encoded in small letters', encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['as a form', new URLSearchParams({ a: value }).toString().replaceAll('%24', '%24')],
    ['in an SQL literal', `PASSWORD '${value.replaceAll("'", "''")}'`],
    ['hexadecimal', Buffer.from(`..${value}`).toString('hex')],
    ['base64', base64(value)],
    ['base64 after one byte', base64(`x${value} and more`)],
    ['base64 after two bytes', base64(`xy${value} and more`)],
    ['base64url', Buffer.from(`xyz${value}?`).toString('base64url')],
  ])('is found %s', (_, output) => {
    expect(leaksOf(value, output)).toMatchObject([{ sink: 'log', origin: 'Secret shop/server key password' }])
  })

  it.each([
    ['in two lines', `${token.slice(0, 11)}\n${token.slice(11)}`],
    ['in two fields', JSON.stringify({ a: token.slice(0, 20), b: token.slice(20) })],
    ['cut off', `${token.slice(0, 17)}…`],
    ['without its beginning', `…${token.slice(9)}`],
  ])('is found split: %s', (_, output) => {
    expect(leaksOf(token, output)).toHaveLength(1)
  })

  it('is found line by line when it is a private key', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'
    const key = `-----BEGIN PRIVATE KEY-----\n${line}\n${line.toLowerCase()}\n-----END PRIVATE KEY-----\n`
    expect(leaksOf(key, `it has ${line}`)).toMatchObject([{ form: 'line of a key' }])
    expect(leaksOf(key, 'a text has -----BEGIN PRIVATE KEY----- alone')).toEqual([])
  })

  it('is found wherever it stands, and nothing else is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.string({ unit: 'binary', maxLength: 50 }),
        (before, after) => {
          expect(leaksOf(token, before + token + after)).toHaveLength(1)
          expect(leaksOf(token, before + after)).toEqual([])
        },
      ),
      { numRuns: 300, seed: 1 },
    )
  })

  it('is absent from the report', () => {
    expect(JSON.stringify(leaksOf(token, `x${token}y`))).not.toContain(token.slice(0, 8))
  })

  it('is found in output from before the Secret', () => {
    const taint = new Taint()
    taint.note('log', token)
    taint.add(token, 'Secret a/b key c')
    expect(taint.takeLeaks()).toHaveLength(1)
    expect(taint.takeLeaks()).toEqual([])
  })

  it('is rejected as a fixture when it is too short or too plain to find', () => {
    const taint = new Taint()
    for (const short of ['secret', 'aaaaaaaaaaaaaaaa', 'postgres']) taint.add(short, short)
    expect(taint.takeUnmarkable()).toHaveLength(3)
    taint.add(token, 'token')
    expect(taint.takeUnmarkable()).toEqual([])
  })
})
