// Attempts of a server at the address in a connection Secret that speaks PostgreSQL's protocol, or imitates it.
// Invariant: an attempt counts only if the operator connected, received the response, and its condition names that
// response.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Condition } from '../../../src/index.ts'
import { secretText } from '../../taint/secret-text.ts'
import type { AdversaryStage } from '../adversary-stage.ts'
import { type Attempt, conditionOf, harmless } from '../attempt.ts'

/** Behavior after the startup message of a client; `more` receives the client's further messages. */
type Behaviour = (socket: Socket, more: (listen: (bytes: Buffer) => void) => void) => void

interface Server {
  readonly does: string
  readonly behaves: Behaviour
  /** Answer to the TLS request. Default: no. */
  readonly tls?: (socket: Socket) => void
  readonly sslMode?: 'disable' | 'require'
  /** Reason and message of the condition Ready: the response at which the operator stops. */
  readonly stop: RegExp
  /** Bytes that the operator must have sent, as latin1. Default: the user name. */
  readonly hears?: string
}

/** First message of a client: the user of the connection Secret. */
const introduction = 'user\0limited\0'
/** First message of SCRAM. */
const scramStart = 'SCRAM-SHA-256\0'
/** Code 80877103 of the request for TLS. */
const tlsQuestion = '\x04\xd2\x16/'
const query = 'SELECT'

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const auth = (code: number, rest = Buffer.alloc(0)) => {
  const body = Buffer.alloc(4)
  body.writeInt32BE(code)
  return message('R', Buffer.concat([body, rest]))
}
const scramOffer = auth(10, Buffer.from('SCRAM-SHA-256\0\0'))
const ready = message('Z', Buffer.from('I'))
const ok = auth(0)
const notice = message('N', Buffer.from(`SNOTICE\0C00000\0M${'x'.repeat(4_000)}\0\0`))
const row = message('D', Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 4]), Buffer.from('evil')]))
const emptyRow = message('D', Buffer.from([0, 0]))
const count = (of: readonly unknown[]) => Buffer.from([of.length >> 8, of.length & 0xff])
const columnsOf = (names: readonly string[]) =>
  message(
    'T',
    Buffer.concat([count(names), ...names.map((name) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(18)]))]),
  )
const rowOf = (values: readonly string[]) =>
  message(
    'D',
    Buffer.concat([
      count(values),
      ...values.map((value) => Buffer.concat([Buffer.from([0, 0, 0, value.length]), Buffer.from(value)])),
    ]),
  )
const columns = columnsOf(Array.from({ length: 1_600 }, (_, at) => `c${at}`))

/** Answers the first SCRAM message of a client. */
const scram =
  (first: (nonce: string) => string, last = 'v=AAAA'): Behaviour =>
  (socket, more) => {
    socket.write(scramOffer)
    let step = 0
    more((bytes) => {
      const nonce = /r=([^,\0]+)/.exec(bytes.toString('latin1'))?.[1] ?? ''
      if (step++ === 0) socket.write(auth(11, Buffer.from(first(nonce))))
      else socket.write(Buffer.concat([auth(12, Buffer.from(last)), ok, ready]))
    })
  }

/** Writes without end, as fast as the client reads. */
const endless =
  (start: Buffer, chunk: Buffer): Behaviour =>
  (socket) => {
    socket.write(start)
    const write = () => {
      if (!socket.destroyed && socket.write(chunk)) setImmediate(write)
    }
    socket.on('drain', write)
    write()
  }

const salt = Buffer.from('salt of the server').toString('base64')
const mebibyte = Buffer.alloc(1_024 * 1_024, 0x78)

const servers: readonly Server[] = [
  {
    does: 'requests the password in clear text',
    stop: /AdminAuthFailed.*asks for the password in clear text/,
    behaves: (socket) => socket.write(auth(3)),
  },
  {
    does: 'requests the password by MD5',
    stop: /AdminAuthFailed.*asks for an MD5 hash/,
    behaves: (socket) => socket.write(auth(5, Buffer.from('salt'))),
  },
  {
    does: 'requests the password by GSSAPI',
    stop: /ServerUnreachable.*message type 7/,
    behaves: (socket) => socket.write(auth(7)),
  },
  {
    does: 'offers an unknown SASL mechanism',
    stop: /AdminAuthFailed.*SCRAM-SHA-256/,
    behaves: (socket) => socket.write(auth(10, Buffer.from('EVIL\0\0'))),
  },
  {
    does: 'accepts every login without a password and then sends nothing',
    stop: /ServerUnreachable.*no answer within/,
    hears: query,
    behaves: (socket) => socket.write(Buffer.concat([ok, ready])),
  },
  {
    does: 'accepts every login and answers every query with one row of its own',
    stop: /ServerUnreachable.*no answer of PostgreSQL’s protocol/,
    hears: query,
    behaves: (socket, more) => {
      socket.write(Buffer.concat([ok, ready]))
      more(() => socket.write(Buffer.concat([row, message('C', Buffer.from('SELECT 1\0')), ready])))
    },
  },
  {
    does: 'does not prove knowledge of the password in SCRAM',
    stop: /AdminAuthFailed.*server signature does not match/,
    hears: scramStart,
    behaves: scram((nonce) => `r=${nonce}own,s=${salt},i=4096`),
  },
  {
    does: 'requests two billion SCRAM rounds',
    stop: /ServerUnreachable.*asks for 2147483647 iterations/,
    hears: scramStart,
    behaves: scram((nonce) => `r=${nonce}own,s=${salt},i=2147483647`),
  },
  {
    does: 'answers SCRAM with a nonce of its own',
    stop: /AdminAuthFailed.*nonce/,
    hears: scramStart,
    behaves: scram(() => `r=another,s=${salt},i=4096`),
  },
  {
    does: 'answers SCRAM without salt',
    stop: /AdminAuthFailed.*salt/,
    hears: scramStart,
    behaves: scram((nonce) => `r=${nonce}own,s=,i=1`),
  },
  {
    does: 'answers with HTTP',
    stop: /ServerUnreachable.*a message of 1414811695 bytes/,
    behaves: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n<html>'),
  },
  {
    does: 'closes the connection at once',
    stop: /ServerUnreachable.*Connection terminated/,
    behaves: (socket) => socket.destroy(),
  },
  { does: 'sends nothing', stop: /ServerUnreachable.*no answer within/, behaves: () => undefined },
  {
    does: 'announces a message of two gigabytes',
    stop: /ServerUnreachable.*a message of 2147483647 bytes/,
    behaves: (socket) => socket.write(Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3])),
  },
  {
    does: 'announces a message of negative length',
    stop: /ServerUnreachable.*no message of PostgreSQL’s protocol/,
    behaves: (socket) => socket.write(Buffer.from([0x52, 0xff, 0xff, 0xff, 0xff, 1, 2, 3])),
  },
  {
    does: 'sends notices without end',
    stop: /ServerUnreachable.*more than 10485760 bytes before it accepts a login/,
    behaves: endless(ok, notice),
  },
  {
    does: 'sends rows without end',
    stop: /ServerUnreachable.*connection error/,
    behaves: endless(Buffer.concat([ok, ready]), row),
  },
  {
    does: 'answers a query with 1,600 columns and a flood of empty rows',
    stop: /StatementFailed.*an answer of more than 100000 values/,
    hears: query,
    behaves: (socket, more) => {
      socket.write(Buffer.concat([ok, ready]))
      more(() => socket.write(Buffer.concat([columns, ...Array.from({ length: 20_000 }, () => emptyRow), ready])))
    },
  },
  ...['null', '{}', '{"server":null}', '{"server":{},"databases":[null],"roles":[7]}'].map((json) => ({
    does: `answers every query with the JSON ${json}`,
    stop: /ServerUnreachable.*no answer to the question/,
    hears: query,
    behaves: ((socket, more) => {
      socket.write(Buffer.concat([ok, ready]))
      const answer = Buffer.concat([columnsOf(['caller', 'answer']), rowOf(['x', json]), ready])
      more(() => socket.write(answer))
    }) satisfies Behaviour,
  })),
  {
    does: 'sends one message without end',
    stop: /ServerUnreachable.*a message of 1073741823 bytes/,
    behaves: endless(Buffer.from([0x45, 0x3f, 0xff, 0xff, 0xff]), mebibyte),
  },
  {
    does: 'rejects the login with an error of a megabyte and control characters',
    stop: /AdminAuthFailed.*28000/,
    behaves: (socket) =>
      socket.end(
        message('E', Buffer.concat([Buffer.from('SFATAL\0C28000\0M\x1b[2J\x07'), mebibyte, Buffer.from('\0\0')])),
      ),
  },
  {
    does: 'has no TLS although the client requires it',
    stop: /TLSVerifyFailed.*does not offer TLS/,
    sslMode: 'require',
    hears: tlsQuestion,
    behaves: (socket) => socket.write(auth(3)),
  },
  {
    does: 'accepts the TLS request and then sends plain text',
    stop: /TLSVerifyFailed/,
    sslMode: 'require',
    hears: tlsQuestion,
    tls: (socket) => socket.write(Buffer.concat([Buffer.from('S'), ok, ready])),
    behaves: () => undefined,
  },
  {
    does: 'answers the TLS request with an error',
    stop: /TLSVerifyFailed.*does not offer TLS/,
    sslMode: 'require',
    hears: tlsQuestion,
    tls: (socket) => socket.write(message('E', Buffer.from('SFATAL\0Mno\0\0'))),
    behaves: () => undefined,
  },
]

const tlsRequest = 80_877_103
/** Longest message of a condition. */
const longestMessage = 32_768
/** More than one message may need, together with the usual memory of the process. */
const mostBytes = 256 * 1_024 * 1_024

function attemptOf({ does, behaves, tls, sslMode = 'disable', stop, hears = introduction }: Server): Attempt {
  const password = secretText(`a hostile server ${does}`)
  return {
    attacker: 'hostile server',
    does,
    act: async (stage, name) => {
      const [sockets, heard] = [new Set<Socket>(), [] as Buffer[]]
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined)
        let listen = (_: Buffer) => {}
        let isWelcome = false
        socket.on('data', (bytes) => {
          heard.push(bytes)
          if (isWelcome) return listen(bytes)
          if (bytes.length >= 8 && bytes.readInt32BE(4) === tlsRequest)
            return void (tls === undefined ? socket.write('N') : tls(socket))
          isWelcome = true
          behaves(socket, (then) => {
            listen = then
          })
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo // A listening TCP server has an address.
      const before = process.memoryUsage().rss
      try {
        await stage.editor.create('secret', name, stage.credentials.opened('limited', { port: String(port), password }))
        const provider = { server: { connectionSecretRef: { name }, sslMode } }
        await stage.tenant.create('db', name, { spec: { provider } })
        await stopped(stage, name, stop)
        const said = Buffer.concat(heard).toString('latin1')
        if (!said.includes(hears)) throw new Error(`the server heard ${JSON.stringify(said)}`)
        await stage.settle()
        const text = JSON.stringify((await stage.editor.peek('db', name))?.status)
        if (text.length > longestMessage) throw new Error(`the status has ${text.length} characters`)
        if (text.includes('\\u001b')) throw new Error('the status has control characters')
        if (Buffer.concat(heard).toString('latin1').includes(password))
          throw new Error('the password was sent in clear')
        const grown = process.memoryUsage().rss - before
        if (grown > mostBytes) throw new Error(`it cost ${grown} bytes`)
      } finally {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
    },
    outcome: harmless(
      'The Database is not Ready and its condition names the response. The operator closes the connection, sends no clear-text password and reconciles other resources.',
      { reasons },
    ),
  }
}

/** Reasons for a server without a usable response, and for the breaker that it opens. */
const reasons = ['ServerUnreachable', 'AdminAuthFailed', 'TLSVerifyFailed', 'StatementFailed', 'DependencyUnavailable']

async function stopped(stage: AdversaryStage, name: string, stop: RegExp): Promise<void> {
  let last: Condition | undefined
  const isSo = async () => {
    last = conditionOf(await stage.editor.peek('db', name), 'Ready')
    return last?.status === 'False' && stop.test(`${last.reason} ${last.message}`)
  }
  const trouble = () => `db/${name} to stop at ${stop}, not ${JSON.stringify(last)}`
  await stage.until(trouble, isSo, waitMs)
}

/** The operator reports silence after the time limits of a connection. */
const waitMs = 90_000

export const hostileServerAttempts: readonly Attempt[] = servers.map(attemptOf)
