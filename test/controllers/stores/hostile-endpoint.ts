// Fixture: a hostile S3 endpoint on loopback. It answers each request as a test sets it, and counts the bytes that were read.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const mebibyte = 1_024 * 1_024
/** A client that reads more has no limit; the test ends then. */
const mostSent = 96 * mebibyte

export type Answering = (answer: ServerResponse, request: IncomingMessage) => Promise<void> | void

export class HostileEndpoint {
  /** Bytes of all answers that the connection accepted. */
  sentBytes = 0
  /** Requests, for instance `GET /backups/key?query`. */
  readonly requests: string[] = []
  readonly #server: Server
  readonly #answering: Answering[]

  private constructor(server: Server, answering: Answering) {
    this.#server = server
    this.#answering = [answering]
    server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
      this.requests.push(`${request.method} ${request.url}`)
      answer.on('error', () => undefined)
      void this.#answering[0]?.(answer, request)
    })
  }

  static async start(answering: (endpoint: HostileEndpoint) => Answering): Promise<HostileEndpoint> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    let told: Answering = () => undefined
    const endpoint = new HostileEndpoint(server, (answer, request) => told(answer, request))
    told = answering(endpoint)
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return endpoint
  }

  get access() {
    const { port } = this.#server.address() as AddressInfo // A listening TCP server has a port.
    const credentials = { accessKeyId: 'id', secretAccessKey: 'key' }
    return { region: 'eu-central-1', endpoint: `http://127.0.0.1:${port}`, forcePathStyle: true, credentials }
  }

  /** Sends `head`, and then without end until the client closes the connection. */
  async pour(answer: ServerResponse, status: number, head = ''): Promise<void> {
    answer.writeHead(status, { 'content-type': 'application/xml', etag: '"a"' })
    answer.write(head)
    answer.setMaxListeners(0) // One listener more each time that the connection is full.
    const piece = Buffer.alloc(64 * 1_024, 'x')
    while (!answer.destroyed && this.sentBytes < mostSent) {
      this.sentBytes += piece.byteLength
      if (!answer.write(piece)) await Promise.race([once(answer, 'drain'), once(answer, 'close')])
    }
    answer.end()
  }
}
