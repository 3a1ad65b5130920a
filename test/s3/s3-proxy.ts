// Proxy before moto that breaks, delays and rejects requests of an S3 client on request, and records every request.
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface S3Request {
  /** Index from 1 over all requests, including repeated ones. */
  readonly index: number
  /** For example `PUT /bucket/key?partNumber=1`, without parameters that the client adds. */
  readonly line: string
}

/**
 * `cutBefore`: the store never receives the request. `cutAfter`: the store executes it, and the response is lost.
 * `cutInside`: half of the response arrives. `hang`: no response arrives.
 */
export type S3Verdict =
  | 'pass'
  | 'cutBefore'
  | 'cutAfter'
  | 'cutInside'
  | 'hang'
  | { readonly status: number; readonly code: string }

export class S3Proxy {
  readonly url: string
  judge: (request: S3Request) => S3Verdict = () => 'pass'
  readonly #target: URL
  readonly #server: Server
  readonly #requests: S3Request[] = []

  private constructor(target: string, server: Server) {
    this.#target = new URL(target)
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // A listening TCP server has a port.
    server.on('request', (message, response) => {
      this.#serve(message, response).catch(() => message.socket.destroy())
    })
  }

  /** Starts a proxy before the moto at this URL. The caller stops it. */
  static async start(target: string): Promise<S3Proxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new S3Proxy(target, server)
  }

  get requests(): readonly S3Request[] {
    return this.#requests
  }

  forget(): void {
    this.#requests.length = 0
  }

  /** Stops the proxy and resets moto, which would keep the objects of this test for the next one. */
  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await fetch(new URL('/moto-api/reset', this.#target), { method: 'POST' })
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(message)
    const { pathname, searchParams } = new URL(message.url ?? '/', this.#target)
    const parameters = ['partNumber', 'uploads', 'uploadId', 'list-type'].filter((name) => searchParams.has(name))
    const line = `${message.method} ${pathname}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
    const request = { index: this.#requests.length + 1, line }
    this.#requests.push(request)
    const verdict = this.judge(request)
    if (verdict === 'hang') return
    if (verdict === 'cutBefore') return void message.socket.destroy()
    if (typeof verdict === 'object') {
      const error = `<Error><Code>${verdict.code}</Code><Message>the test says ${verdict.code}</Message></Error>`
      response.writeHead(verdict.status, { 'content-type': 'application/xml' }).end(error)
      return
    }
    const answer = await this.#forward(message, body)
    const bytes = await bytesOf(answer)
    if (verdict === 'cutAfter') return void message.socket.destroy()
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    if (verdict === 'pass') return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => message.socket.destroy())
  }

  async #forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { hostname, port } = this.#target
    const forwarded = httpRequest({ hostname, port, method, path: url, headers })
    forwarded.end(body)
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage] // As documented for this event.
    return answer
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer) // A stream without encoding yields buffers.
  return Buffer.concat(chunks)
}
