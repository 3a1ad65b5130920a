// Answers of a hostile server. Invariant: each is rejected by its size or its form, before it costs time or memory.

import { describe, expect, it } from 'vitest'
import { failureOf } from '../../../src/controllers/engines/postgres/failure.ts'
import { jsonAnswer } from '../../../src/controllers/engines/postgres/json-answer.ts'
import { tokenIn } from '../../../src/controllers/engines/postgres/mark.ts'
import { isSameSetting } from '../../../src/controllers/engines/postgres/role-setting.ts'
import { scramVerifier, verifierMatches } from '../../../src/controllers/engines/postgres/scram.ts'
import { ServerMessages } from '../../../src/controllers/engines/postgres/server-messages.ts'
import { signature } from '../../../src/controllers/engines/postgres/sql-text.ts'
import { engineErrorOf, speaksOfServer } from '../../../src/controllers/engines/postgres/sqlstate.ts'
import { warningsOf } from '../../../src/kube/answer-headers.ts'

function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const ready = message('Z', Buffer.from('I'))
const saslContinue = (text: string) =>
  message('R', Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from(text, 'latin1')]))

/** Returns the error that the operator reports for these messages. */
function errorOf(messages: readonly Buffer[]) {
  const reader = new ServerMessages({ answerBytes: 900 })
  try {
    for (const one of messages) for (const _ of reader.read(one));
  } catch (thrown) {
    return engineErrorOf(failureOf(thrown), { attempt: 'observe database shop', admin: 'admin' })
  }
  throw new Error('the server sent nothing that was rejected')
}

describe('messages of a server', () => {
  it.each([
    ['r=abc,s=QSXCR+Q6sek8bf92,i=4096', undefined],
    ['r=abc,s=QSXCR+Q6sek8bf92,i=1000000', undefined],
    ['r=abc,s=QSXCR+Q6sek8bf92,i=1000001', /1000001 iterations/],
    ['r=abc,s=QSXCR+Q6sek8bf92,i=2147483647', /2147483647 iterations/],
    ['i=2147483647,r=abc,s=QSXCR+Q6sek8bf92,i=1', /iterations/],
    [`r=abc,i=${'9'.repeat(400)}`, /iterations/],
  ])('that request the SCRAM proof %s', (text, error) => {
    const read = () => [...new ServerMessages().read(saslContinue(text))]
    if (error === undefined) expect(read()).toHaveLength(1)
    else expect(read).toThrow(error)
  })

  it('end when an answer exceeds its limit, in however many messages', () => {
    const messages = new ServerMessages({ answerBytes: 10_000 })
    expect([...messages.read(ready)]).toHaveLength(1)
    const row = message('D', Buffer.alloc(995))
    const read = () => [...messages.read(row)]
    for (let at = 0; at < 10; at += 1) expect(read()).toHaveLength(1)
    expect(read).toThrow('an answer of more than 10000 bytes')
  })

  it('do not count against the server when they are too long: the owner of one database would block the others', () => {
    const error = errorOf([ready, message('D', Buffer.alloc(995))])
    expect(error).toMatchObject({ code: 'StatementFailed', remedy: 'stop' })
    expect(error.message).toContain('so many objects')
    expect(speaksOfServer(error)).toBe(false)
  })

  it.each([
    ['notices', message('N', Buffer.from('SNOTICE\0\0'))],
    ['settings', message('S', Buffer.from('a\0b\0'))],
    ['one message', message('S', Buffer.alloc(1_000))],
  ])('count against the server when it floods with %s before a login', (_, flood) => {
    const error = errorOf(Array.from({ length: 200 }, () => flood))
    expect(error).toMatchObject({ code: 'ServerUnreachable', remedy: 'retry' })
    expect(error.message).toBe(
      'could not observe database shop: the server sends more than 900 bytes before it accepts a login',
    )
    expect(speaksOfServer(error)).toBe(true)
  })

  it('end when an answer has too many values, with empty rows and many columns', () => {
    const columns = message('T', Buffer.from([0x06, 0x40, ...Array.from({ length: 100 }, () => 0)]))
    const reader = new ServerMessages({ answerBytes: 10_000_000 })
    const row = message('D', Buffer.from([0, 0]))
    const answer = Buffer.concat([ready, columns, ...Array.from({ length: 62 }, () => row)])
    expect([...reader.read(answer)]).toHaveLength(64)
    expect(() => [...reader.read(row)]).toThrow('an answer of more than 100000 values')
    const worker = new ServerMessages()
    expect([...worker.read(Buffer.concat([answer, row]))]).toHaveLength(65)
  })

  it('end when an answer has too many rows without columns', () => {
    const reader = new ServerMessages({ answerBytes: 10_000_000 })
    const row = message('D', Buffer.from([0, 0]))
    const flood = Buffer.concat([ready, ...Array.from({ length: 12_501 }, () => row)])
    expect(() => [...reader.read(flood)]).toThrow('an answer of more than 100000 values')
  })

  it('are rejected as not PostgreSQL’s when an error has too many fields', () => {
    const error = (fields: number) => message('E', Buffer.from(`${'Mx\0'.repeat(fields)}\0`))
    expect([...new ServerMessages().read(error(64))]).toHaveLength(1)
    expect(() => [...new ServerMessages().read(error(100_000))]).toThrow(
      'an error that is none of PostgreSQL’s protocol',
    )
  })

  it('are rejected as not PostgreSQL’s when they request authentication in more than 64 KiB', () => {
    expect(() => [...new ServerMessages().read(saslContinue(','.repeat(70_000)))]).toThrow(
      'the server asks for authentication in 70009 bytes; 65536 are taken',
    )
  })

  it('are rejected as not PostgreSQL’s when they have too many columns', () => {
    const columns = message('T', Buffer.from([0x06, 0x81]))
    expect(() => [...new ServerMessages().read(columns)]).toThrow('1665 columns; PostgreSQL has at most 1664')
  })

  it('are counted for each answer separately', () => {
    const messages = new ServerMessages({ answerBytes: 2_000 })
    for (let at = 0; at < 10; at += 1) {
      expect([...messages.read(message('D', Buffer.alloc(1_500)))]).toHaveLength(1)
      expect([...messages.read(ready)]).toHaveLength(1)
    }
  })

  it('keep no partial message that arrives byte by byte', () => {
    const messages = new ServerMessages()
    const row = message('D', Buffer.alloc(100_000, 7))
    const pieces = Array.from(row, (_, at) => row.subarray(at, at + 1))
    const read = pieces.flatMap((piece) => [...messages.read(piece)])
    expect(read).toEqual([row])
  })
})

describe('an answer in JSON', () => {
  it.each([
    ['a list of objects', JSON.stringify([{ name: 'a "b" [', list: [1, null, true, { x: 'y\\' }] }])],
    ['null', 'null'],
  ])('is parsed if it is %s', (_, text) => {
    expect(jsonAnswer(text, 'x')).toEqual(JSON.parse(text))
  })

  it.each([
    ['bytes', `"${'x'.repeat(8 * 1024 * 1024)}"`],
    ['depth', '['.repeat(65) + ']'.repeat(65)],
    ['values', `[${'{},'.repeat(700_000)}{}]`],
    ['members', JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at])))],
  ])('is rejected for too many %s', (_, text) => {
    expect(() => jsonAnswer(text, 'x')).toThrow(/the server.s answer has/)
  })
})

describe('texts of servers and users', () => {
  it('a verifier with very many iterations counts as another one, and is not computed', () => {
    const verifier = scramVerifier({ password: 'secret', salt: Buffer.alloc(16) })
    expect(verifierMatches(verifier, 'secret')).toBe(true)
    expect(verifierMatches(verifier.replace('$4096:', '$20000001:'), 'secret')).toBe(false)
  })

  it('a long comment counts as unmanaged', () => {
    const token = { uid: 'u', generation: 1 }
    expect(tokenIn(`konverge ${JSON.stringify({ ...token, holder: 'x' })}`)).toEqual({ ...token, holder: 'x' })
    expect(tokenIn(`konverge ${JSON.stringify({ ...token, holder: 'x'.repeat(1_100_000) })}`)).toBeUndefined()
  })

  it.each([
    ['a setting', () => isSameSetting('search_path', `a${' '.repeat(50_000)}"`, 'a'), false],
    ['a signature', () => isSignature(`f(${'"'.repeat(200)}!)`), false],
    ['a header', () => warningsOf('299 - "'.repeat(10_000)).length, 5_000],
  ])('reading %s takes bounded time', (_, read, expected) => {
    expect(read()).toBe(expected)
  })

  it.each([
    ['a, "B c" ,D', 'a,"B c",d', true],
    ['"a""b", c', '"a""b",c', true],
    ['a,,b,', 'a,b', true],
    ['"A"', 'a', false],
    ['', '""', true],
    ['"$user", public', '"$user",public', true],
  ])('the lists of names %s and %s are compared', (left, right, isSame) => {
    expect(isSameSetting('search_path', left, right)).toBe(isSame)
  })

  it.each([
    ['f(integer, "a""b")', true],
    ['"f""g"(text)', true],
    ['f("a" "b")', true],
    ['f("a")x', false],
    ['f("a)', false],
    ['f(a;b)', false],
    ['""(a)', false],
  ])('a signature is recognized in %s: %s', (text, isOne) => {
    expect(isSignature(text)).toBe(isOne)
  })
})

function isSignature(text: string): boolean {
  try {
    signature('public', text)
    return true
  } catch {
    return false
  }
}
