// Attempts of a server that speaks PostgreSQL's protocol at the address in a connection Secret, or pretends to.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Attempt, harmless } from '../attempt.ts'

/** What it does with a client that has introduced itself; `more` hears what the client says then. */
type Behaviour = (socket: Socket, more: (listen: (bytes: Buffer) => void) => void) => void

interface Server {
  readonly does: string
  readonly behaves: Behaviour
  /** The answer to the question for TLS. Default: no. */
  readonly tls?: (socket: Socket) => void
  readonly sslMode?: 'disable' | 'require'
}

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

/** Writes without end, as far as the client takes it. */
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
  { does: 'asks for the password in clear text', behaves: (socket) => socket.write(auth(3)) },
  { does: 'asks for the password by MD5', behaves: (socket) => socket.write(auth(5, Buffer.from('salt'))) },
  { does: 'asks for the password by GSSAPI', behaves: (socket) => socket.write(auth(7)) },
  { does: 'offers an unknown way of SASL', behaves: (socket) => socket.write(auth(10, Buffer.from('EVIL\0\0'))) },
  {
    does: 'lets everyone in without a password, and says nothing then',
    behaves: (socket) => socket.write(Buffer.concat([ok, ready])),
  },
  {
    does: 'lets everyone in and answers every question with one row of its own',
    behaves: (socket, more) => {
      socket.write(Buffer.concat([ok, ready]))
      more(() => socket.write(Buffer.concat([row, message('C', Buffer.from('SELECT 1\0')), ready])))
    },
  },
  { does: 'proves no knowledge of the password in SCRAM', behaves: scram((nonce) => `r=${nonce}own,s=${salt},i=4096`) },
  { does: 'asks for two billion rounds of SCRAM', behaves: scram((nonce) => `r=${nonce}own,s=${salt},i=2147483647`) },
  { does: 'answers SCRAM with a nonce of its own', behaves: scram(() => `r=another,s=${salt},i=4096`) },
  { does: 'answers SCRAM without salt', behaves: scram((nonce) => `r=${nonce}own,s=,i=1`) },
  { does: 'answers with HTTP', behaves: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n<html>') },
  { does: 'closes at once', behaves: (socket) => socket.destroy() },
  { does: 'says nothing', behaves: () => undefined },
  {
    does: 'says a message is two gigabytes long',
    behaves: (socket) => socket.write(Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3])),
  },
  {
    does: 'says a message has a negative length',
    behaves: (socket) => socket.write(Buffer.from([0x52, 0xff, 0xff, 0xff, 0xff, 1, 2, 3])),
  },
  { does: 'sends notices without end', behaves: endless(ok, notice) },
  { does: 'sends rows without end', behaves: endless(Buffer.concat([ok, ready]), row) },
  { does: 'sends one message without end', behaves: endless(Buffer.from([0x45, 0x3f, 0xff, 0xff, 0xff]), mebibyte) },
  {
    does: 'refuses with an error of a megabyte and control characters',
    behaves: (socket) =>
      socket.end(
        message('E', Buffer.concat([Buffer.from('SFATAL\0C28000\0M\x1b[2J\x07'), mebibyte, Buffer.from('\0\0')])),
      ),
  },
  { does: 'has no TLS where it is required', sslMode: 'require', behaves: (socket) => socket.write(auth(3)) },
  {
    does: 'answers the question for TLS with yes, and plain text behind it',
    sslMode: 'require',
    tls: (socket) => socket.write(Buffer.concat([Buffer.from('S'), ok, ready])),
    behaves: () => undefined,
  },
  {
    does: 'answers the question for TLS with an error',
    sslMode: 'require',
    tls: (socket) => socket.write(message('E', Buffer.from('SFATAL\0Mno\0\0'))),
    behaves: () => undefined,
  },
]

const tlsRequest = 80_877_103
/** What a condition may take. */
const longestMessage = 32_768
/** More than one message may have, with what the process takes anyway. */
const mostBytes = 256 * 1_024 * 1_024

function attemptOf({ does, behaves, tls, sslMode = 'disable' }: Server): Attempt {
  const password = `never-in-clear-${does.length}`
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
      const { port } = server.address() as AddressInfo // A listening TCP server's.
      const before = process.memoryUsage().rss
      try {
        const data = stage.credentials.data('limited', { port: String(port), password })
        await stage.editor.create('secret', name, { data })
        const provider = { server: { connectionSecretRef: { name }, sslMode } }
        await stage.tenant.create('db', name, { spec: { provider } })
        await stage.untilNotReady('db', name, waitMs)
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
      'Its Database is not Ready; the connection ends, no password is sent in clear, and other resources go on.',
    ),
  }
}

/** Silence is told after the limits of a connection. */
const waitMs = 90_000

export const hostileServerAttempts: readonly Attempt[] = servers.map(attemptOf)
