// Hostile object store: an HTTP server on loopback with arbitrary responses, and the worker's own client for it.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../src/base/clock.ts'
import { S3Store } from '../../src/controllers/stores/s3-store-driver.ts'

export type StoreAnswer = (request: IncomingMessage, response: ServerResponse, store: HostileStore) => void

export class HostileStore {
  static readonly secretAccessKey = 'the-secret-of-the-worker'
  /** Larger than the largest manifest and the buffers of sockets together. */
  static readonly mostBytes = 80 * 1_024 * 1_024
  readonly #server: Server
  heard = ''
  sentBytes = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(answer: StoreAnswer): Promise<HostileStore> {
    const server = createServer((request, response) => {
      store.heard += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`
      request.resume()
      response.on('error', () => undefined)
      answer(request, response, store)
    })
    const store = new HostileStore(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return store
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` // A listening TCP server has an address.
  }

  get client(): S3Store {
    const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: HostileStore.secretAccessKey }
    return new S3Store({
      bucket: 'artifacts',
      prefix: 'own/',
      access: { region: 'us-east-1', endpoint: this.url, forcePathStyle: true, credentials },
      clock: systemClock,
      limits: { connectMs: 1_000, silenceMs: 1_000, attempts: 2 },
    })
  }

  /** Writes without end, as fast as the client reads. */
  pour(response: ServerResponse, chunk: Buffer): void {
    const write = () => {
      while (!response.destroyed) {
        this.sentBytes += chunk.length
        if (!response.write(chunk)) return
      }
    }
    response.on('drain', write)
    write()
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
