// Proxy between an operator and the API server: plain HTTP on loopback in front, the real server behind. It injects
// faults, records every call with its response code, and closes every connection that it opened.
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiCall, apiCallOf } from './api-call.ts'
import type { Fault } from './fault.ts'
import { FaultyWay, frameOf, statusObject } from './faulty-way.ts'
import { splitLines } from './line-splitter.ts'

/** API server to which the proxy forwards calls. */
export interface Upstream {
  readonly url: string
  /** PEM text of the certificate authority; unneeded for plain HTTP. */
  readonly ca?: string
}

export class FaultProxy extends FaultyWay {
  readonly url: string
  readonly #upstream: Upstream
  readonly #server: ReturnType<typeof createServer>
  readonly #agent: HttpAgent | Agent
  readonly #sockets = new Set<Socket>()
  readonly #stopped = new AbortController()
  readonly #files: string[] = []

  private constructor(upstream: Upstream, server: ReturnType<typeof createServer>) {
    super()
    this.#upstream = upstream
    this.#server = server
    this.#agent = isPlain(upstream)
      ? new HttpAgent({ keepAlive: true })
      : new Agent({ keepAlive: true, ...(upstream.ca === undefined ? {} : { ca: upstream.ca }) })
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // A listening TCP server has a port.
    server.on('connection', (socket: Socket) => this.#accept(socket))
    server.on('request', (message, response) => {
      // The client sees any error of the proxy as a broken connection.
      this.#serve(message, response).catch(() => message.socket.destroy())
    })
  }

  static async start(upstream: Upstream): Promise<FaultProxy> {
    const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FaultProxy(upstream, server)
  }

  /** Writes a kubeconfig whose server is this proxy; `stop` removes it. */
  async writeKubeconfig(path: string, token: string): Promise<string> {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'proxy', cluster: { server: this.url } }],
      users: [{ name: 'user', user: { token } }],
      contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'user' } }],
      'current-context': 'proxy',
    }
    this.#files.push(path)
    await writeFile(path, JSON.stringify(config), { mode: 0o600 })
    return path
  }

  override breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.line = 'down'
    this.#stopped.abort()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
    this.#agent.destroy()
    await Promise.all(this.#files.map((path) => rm(path, { force: true })))
  }

  #accept(socket: Socket): void {
    if (this.line === 'down') {
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(message)
    const { method = '', url: path = '', headers } = message
    const call = apiCallOf({ method, path, contentType: headers['content-type'] ?? '' })
    const record = this.record(call, performance.now())
    if (this.line !== 'up') return
    record.fault = this.strike(call)
    if (record.fault?.when !== 'after' && !(await this.#passes(record.fault, response))) return
    const answer = await this.#forward({ method, path, headers, body }, response)
    record.status = answer.statusCode
    const reply = response.writeHead.bind(response, answer.statusCode ?? 502, headersOf(answer))
    if (call.verb === 'watch' && answer.statusCode === 200) {
      reply()
      response.flushHeaders()
      await this.#relay(call, answer, response)
      return
    }
    const text = await bytesOf(answer)
    if (record.fault?.when === 'after' && !(await this.#passes(record.fault, response, text, reply))) return
    if (this.line !== 'up') return
    reply()
    response.end(text)
  }

  /** Carries out the effect; returns false if the effect ended the call. */
  async #passes(
    fault: Fault | undefined,
    response: ServerResponse,
    text?: Buffer,
    reply?: () => void,
  ): Promise<boolean> {
    const effect = this.begin(fault)
    switch (effect?.kind) {
      case undefined:
        return true
      case 'delay':
        await sleep(effect.delayMs, undefined, { signal: this.#stopped.signal })
        return this.line === 'up'
      case 'refuse': {
        const { status, retryAfterSeconds } = effect
        const asked = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
        response.writeHead(status, { 'content-type': 'application/json', ...asked })
        response.end(JSON.stringify(statusObject(effect)))
        return false
      }
      case 'break':
        if (text !== undefined && effect.afterBytes !== undefined) {
          reply?.()
          await written(response, text.subarray(0, effect.afterBytes))
        }
        response.socket?.destroy()
        return false
      case 'freeze':
        this.line = 'silent'
        return false
      case 'silence':
      case 'lose':
        return false
    }
  }

  #forward(
    ask: { method: string; path: string; headers: IncomingMessage['headers']; body: Buffer },
    response: ServerResponse,
  ): Promise<IncomingMessage> {
    const { method, path, headers, body } = ask
    const send = isPlain(this.#upstream) ? httpRequest : httpsRequest
    const { host: _, connection: __, ...passedOn } = headers
    return new Promise((resolve, reject) => {
      const options = { method, headers: passedOn, agent: this.#agent, signal: this.#stopped.signal }
      const outgoing = send(new URL(path, this.#upstream.url), options, resolve)
      outgoing.on('error', reject)
      outgoing.end(body)
      // A client that leaves a stream ends it; a pending write continues, as it would in the server.
      response.on('close', () => {
        if (method === 'GET') outgoing.destroy()
      })
    })
  }

  /** Forwards a watch frame by frame. */
  async #relay(call: ApiCall, answer: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const line of splitLines(answer)) {
      const effect = this.begin(this.strike({ ...call, ...frameOf(line.toString('utf8')) }))
      if (effect?.kind === 'delay') await sleep(effect.delayMs, undefined, { signal: this.#stopped.signal })
      if (effect?.kind === 'freeze') this.line = 'silent'
      if (this.line !== 'up' || effect?.kind === 'silence') return await untilClosed(response)
      if (effect?.kind === 'lose') continue
      if (effect?.kind === 'refuse') {
        response.end(`${JSON.stringify({ type: 'ERROR', object: statusObject(effect) })}\n`)
        return
      }
      if (effect?.kind === 'break') {
        await written(response, line.subarray(0, effect.afterBytes ?? 0))
        response.socket?.destroy()
        return
      }
      response.write(line)
    }
    response.end()
  }
}

function isPlain({ url }: Upstream): boolean {
  return url.startsWith('http://')
}

/** Drops headers of one connection, and the content length, which the proxy computes again. */
function headersOf({ headers }: IncomingMessage): Record<string, string | string[]> {
  const own = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || own.has(name) ? [] : [[name, value]])),
  )
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => response.write(bytes, () => resolve()))
}

async function untilClosed(response: ServerResponse): Promise<void> {
  if (!response.closed) await once(response, 'close')
}
