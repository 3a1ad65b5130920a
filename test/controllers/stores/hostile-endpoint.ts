// An S3 endpoint of somebody hostile, on loopback: answers each request as it is told, and knows how much of it was taken.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const mebibyte = 1_024 * 1_024
/** Whoever takes more has no bound; the test ends then. */
const mostSent = 96 * mebibyte

export type Answering = (answer: ServerResponse, request: IncomingMessage) => Promise<void> | void

export class HostileEndpoint {
  /** Bytes that were handed to the connection, of all answers. */
  sentBytes = 0
  /** Requests, as `GET /backups/key?query`. */
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

  /** `head`, and then without an end, until nobody takes it any more. */
  async pour(answer: ServerResponse, status: number, head = ''): Promise<void> {
    answer.writeHead(status, { 'content-type': 'application/xml', etag: '"a"' })
    answer.write(head)
    answer.setMaxListeners(0) // One more each time that the connection is full.
    const piece = Buffer.alloc(64 * 1_024, 'x')
    while (!answer.destroyed && this.sentBytes < mostSent) {
      this.sentBytes += piece.byteLength
      if (!answer.write(piece)) await Promise.race([once(answer, 'drain'), once(answer, 'close')])
    }
    answer.end()
  }
}
