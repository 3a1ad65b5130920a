// Network peer of the tests: an HTTP or HTTPS server that follows a test's script, request by request, and counts
// connections. It does not know Kubernetes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Connection, Credentials } from '../../src/kube/connection.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Script = (response: ServerResponse, request: ReceivedRequest, message: IncomingMessage) => void

export interface ScriptedServerOptions {
  readonly tls?: {
    readonly key: string
    readonly cert: string
    readonly ca?: string
    readonly requestCert?: boolean
    readonly rejectUnauthorized?: boolean
  }
}

export class ScriptedServer {
  readonly url: string
  readonly requests: ReceivedRequest[]
  readonly sockets: Set<Socket>
  readonly #opened: { count: number; total: number }
  readonly #close: () => Promise<void>

  private constructor(parts: {
    url: string
    requests: ReceivedRequest[]
    sockets: Set<Socket>
    opened: { count: number; total: number }
    close: () => Promise<void>
  }) {
    this.url = parts.url
    this.requests = parts.requests
    this.sockets = parts.sockets
    this.#opened = parts.opened
    this.#close = parts.close
  }

  /** Largest number of open connections at once. */
  get mostSockets(): number {
    return this.#opened.count
  }

  /** Number of connections opened so far. */
  get totalSockets(): number {
    return this.#opened.total
  }

  static async start(script: Script, { tls }: ScriptedServerOptions = {}): Promise<ScriptedServer> {
    const requests: ReceivedRequest[] = []
    const sockets = new Set<Socket>()
    const opened = { count: 0, total: 0 }
    const onRequest = (message: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('end', () => {
        const request = {
          method: message.method ?? '',
          path: message.url ?? '',
          headers: message.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }
        requests.push(request)
        script(response, request, message)
      })
    }
    const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest)
    // Only the client, or the script, ends a connection.
    server.keepAliveTimeout = 0
    server.on('connection', (socket: Socket) => {
      opened.total += 1
      sockets.add(socket)
      opened.count = Math.max(opened.count, sockets.size)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    })
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A listening TCP server has an AddressInfo; only pipes have a string.
    const { port } = server.address() as AddressInfo
    const close = async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    const scheme = tls === undefined ? 'http' : 'https'
    return new ScriptedServer({ url: `${scheme}://127.0.0.1:${port}`, requests, sockets, opened, close })
  }

  close(): Promise<void> {
    return this.#close()
  }
}

/** Answers with JSON. */
export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Returns a connection to `server` with these credentials. */
export function connectionTo(
  server: string,
  { authority, ...overrides }: Partial<Connection> & Pick<Credentials, 'authority'> = {},
): Connection {
  const credentials: Credentials = { headers: {}, ...(authority === undefined ? {} : { authority }) }
  return {
    server,
    description: server,
    skipTlsVerify: false,
    credentials: () => Promise.resolve(credentials),
    refuse: () => {},
    ...overrides,
  }
}
