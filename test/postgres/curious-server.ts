// A fake database server on loopback. It offers no TLS, answers every client with the same bytes, and records what it
// receives. By default it requests passwords in clear text.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface CuriousServer {
  readonly port: number
  /** Returns all bytes of all clients. */
  heard(): string
  stop(): void
}

export interface CuriousOptions {
  /** Answer to the start-up message of a client. */
  readonly welcome?: Buffer
  /** Answer to each later message. */
  readonly answer?: Buffer
}

/** PostgreSQL's AuthenticationCleartextPassword. */
const askInClear = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
/** PostgreSQL's AuthenticationMD5Password with a salt. */
export const askForMd5 = Buffer.from([0x52, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4])
const nonsense = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')
const tlsRequestBytes = 8

export async function startCuriousServer({
  welcome = askInClear,
  answer = nonsense,
}: CuriousOptions = {}): Promise<CuriousServer> {
  const heard: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined) // Clients may disconnect at any time.
    let isWelcome = false
    socket.on('data', (bytes) => {
      heard.push(bytes)
      const isTlsRequest = !isWelcome && bytes.length === tlsRequestBytes
      socket.write(isTlsRequest ? 'N' : isWelcome ? answer : welcome)
      isWelcome ||= !isTlsRequest
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // A listening TCP server has a port.
    heard: () => Buffer.concat(heard).toString('latin1'),
    stop: () => server.close(),
  }
}
