// Servers that are not PostgreSQL or violate its protocol. Invariant: such a server ends its own connection only:
// nothing hangs, memory is bounded, and the process continues.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maxMessageBytes, ServerMessages } from '../../../src/controllers/engines/postgres/server-messages.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { startCuriousServer } from '../../postgres/curious-server.ts'
import { engineHere } from '../../postgres/engine-here.ts'

/** Returns a letter, a length and a body; the length is correct by default. */
function message(letter: string, body: string, length = body.length + 4): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter, 'latin1')
  head.writeInt32BE(length, 1)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}

const greeting = message('R', '\0\0\0\0')
const ready = message('Z', 'I')

const answers: Readonly<Record<string, Buffer>> = {
  'an error without an end': message('E', 'SERROR'),
  'an error that ends in a letter': message('E', 'SERROR\0M'),
  'a notice without an end': message('N', 'SWARNING'),
  'an unknown way to log in': message('R', '\0\0\0\x63'),
  'a length below zero': message('E', '', -5),
  'no length': message('Z', '', 0),
  'two gigabytes to come': message('D', '', 2 ** 31 - 1),
  'rows that nobody asked for': Buffer.concat([greeting, ready, message('D', '\0\x01\0\0\0\x01a')]),
  'a row of fewer than no fields': Buffer.concat([greeting, ready, message('D', '\xff\xff')]),
  'an unknown message': message('?', 'what'),
  'SASL without a session': Buffer.concat([message('R', '\0\0\0\x0bx'), greeting, ready]),
  'the end of a copy': Buffer.concat([greeting, ready, message('c', ''), message('G', '\0\0\xff')]),
}

describe('a server that is not PostgreSQL', () => {
  it.each(Object.entries(answers))('ends only its own connection when it sends %s', async (_, answer) => {
    const curious = await startCuriousServer({ welcome: answer, answer })
    onTestFinished(() => curious.stop())
    const here = engineHere()
    const access: ServerAccess = {
      ...{ host: '127.0.0.1', port: curious.port, username: 'me', password: 'secret', tls: 'disable' },
      maintenanceDatabase: 'postgres',
    }
    await expect(here.at(access).observe({})).rejects.toMatchObject({ name: 'EngineError' })
  })
})

describe('protocol messages', () => {
  it('are complete, however they are split', () => {
    const one = fc.record({ letter: fc.constantFrom('D', 'Z', 't', 'C'), body: fc.string({ maxLength: 40 }) })
    fc.assert(
      fc.property(fc.array(one), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (all, steps) => {
        const sent = all.map(({ letter, body }) => message(letter, body))
        const bytes = Buffer.concat(sent)
        const reader = new ServerMessages()
        const read: Buffer[] = []
        for (let at = 0, step = 0; at < bytes.length; step += 1) {
          const size = steps[step % steps.length] ?? 1
          read.push(...reader.read(bytes.subarray(at, at + size)))
          at += size
        }
        expect(read).toEqual(sent)
      }),
    )
  })

  it('with any bytes are parsed or rejected', () => {
    const some = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.constantFrom('E', 'N', 'D'), some, (letter, body) => {
        try {
          for (const read of new ServerMessages().read(message(letter, body.toString('latin1')))) {
            expect(letter === 'D' || read.at(-1) === 0).toBe(true)
          }
        } catch (error) {
          expect(String(error)).toContain('PostgreSQL’s protocol')
        }
      }),
    )
  })

  it('are accepted up to a size', () => {
    expect(() => [...new ServerMessages().read(message('D', '', maxMessageBytes + 1))]).toThrow(/bytes/)
  })
})
