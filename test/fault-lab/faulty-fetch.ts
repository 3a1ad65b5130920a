// Fetch function between an operator and an API server in the same process. It injects the faults of fault-proxy.ts
// without sockets: a delay takes time of the given clock.
import type { Clock } from '../../src/base/clock.ts'
import { type ApiCall, apiCallOf } from './api-call.ts'
import type { Effect } from './fault.ts'
import { type CallRecord, FaultyWay, frameOf, statusObject } from './faulty-way.ts'
import { splitLines } from './line-splitter.ts'

export interface FaultyFetchOptions {
  readonly clock: Clock
  readonly fetch: (request: Request) => Promise<Response>
}

/** Breaks an open connection. */
type Break = (reason: unknown) => void

export class FaultyFetch extends FaultyWay {
  readonly #options: FaultyFetchOptions
  readonly #connections = new Set<Break>()

  constructor(options: FaultyFetchOptions) {
    super()
    this.#options = options
  }

  override breakConnections(): void {
    for (const breakIt of [...this.#connections]) breakIt(broken())
  }

  /** Rejects if the connection breaks. */
  fetch(request: Request): Promise<Response> {
    return this.#connected(async (held) => {
      const { method, url, headers } = request
      const { pathname, search } = new URL(url)
      const call = apiCallOf({ method, path: pathname + search, contentType: headers.get('content-type') ?? '' })
      const record = this.record(call, this.#options.clock.monotonicMs())
      if (this.line === 'down') throw broken()
      if (this.line === 'silent') return held
      const answer = await this.#answered(request, record)
      return answer ?? held
    })
  }

  /** Returns the response; undefined: none arrives. */
  async #answered(request: Request, record: CallRecord): Promise<Response | undefined> {
    const { call } = record
    record.fault = this.strike(call)
    if (record.fault !== undefined && record.fault.when !== 'after') {
      const instead = await this.#instead(this.begin(record.fault))
      if (instead !== 'nothing else') return instead
    }
    const answer = await this.#options.fetch(request)
    record.status = answer.status
    if (call.verb === 'watch' && answer.ok) return this.#relayed(call, answer)
    if (record.fault?.when === 'after') {
      const instead = await this.#instead(this.begin(record.fault), answer)
      if (instead !== 'nothing else') return instead
    }
    return this.line === 'up' ? answer : undefined
  }

  /** Returns the effect of a fault in place of the usual response. */
  async #instead(effect: Effect | undefined, answer?: Response): Promise<Response | undefined | 'nothing else'> {
    switch (effect?.kind) {
      case undefined:
        return 'nothing else'
      case 'delay':
        await this.#pass(effect.delayMs)
        return this.line === 'up' ? 'nothing else' : undefined
      case 'refuse': {
        const { status, retryAfterSeconds } = effect
        const asked = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
        const headers = { 'content-type': 'application/json', ...asked }
        return new Response(JSON.stringify(statusObject(effect)), { status, headers })
      }
      case 'break': {
        if (answer === undefined || effect.afterBytes === undefined) throw broken()
        const { status, headers } = answer
        const begun = Buffer.from(await answer.arrayBuffer()).subarray(0, effect.afterBytes)
        return new Response(cut(begun), { status, headers })
      }
      case 'freeze':
        this.line = 'silent'
        return undefined
      case 'silence':
      case 'lose':
        return undefined
    }
  }

  #relayed(call: ApiCall, answer: Response): Response {
    const { body, status, headers } = answer
    if (body === null) return answer
    const source = body.getReader()
    let breakIt: Break = () => {}
    const end = () => {
      this.#connections.delete(breakIt)
      void source.cancel().catch(() => {})
    }
    const relayed = new ReadableStream<Uint8Array>({
      start: (sink) => {
        breakIt = (reason) => {
          end()
          sink.error(reason)
        }
        this.#connections.add(breakIt)
        this.#relay(call, chunksOf(source), sink).then((isOver) => {
          if (isOver && this.#connections.has(breakIt)) sink.close()
          if (isOver) end()
        }, breakIt)
      },
      cancel: end,
    })
    return new Response(relayed, { status, headers })
  }

  /** Returns true at the end of the stream; false if the stream stays open and delivers nothing more. */
  async #relay(
    call: ApiCall,
    chunks: AsyncIterable<Buffer>,
    sink: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<boolean> {
    for await (const line of splitLines(chunks)) {
      const effect = this.begin(this.strike({ ...call, ...frameOf(line.toString('utf8')) }))
      if (effect?.kind === 'delay') await this.#pass(effect.delayMs)
      if (effect?.kind === 'freeze') this.line = 'silent'
      if (this.line !== 'up' || effect?.kind === 'silence') return false
      if (effect?.kind === 'lose') continue
      if (effect?.kind === 'refuse') {
        sink.enqueue(Buffer.from(`${JSON.stringify({ type: 'ERROR', object: statusObject(effect) })}\n`))
        return true
      }
      if (effect?.kind === 'break') {
        if (effect.afterBytes !== undefined) sink.enqueue(line.subarray(0, effect.afterBytes))
        // Bytes that were sent arrive before the error.
        await this.#pass(1)
        throw broken()
      }
      sink.enqueue(line)
    }
    return true
  }

  /** Runs `work` under a connection that may break; `held` never resolves. */
  async #connected(work: (held: Promise<never>) => Promise<Response>): Promise<Response> {
    const { promise: breaks, reject } = Promise.withResolvers<never>()
    this.#connections.add(reject)
    try {
      return await Promise.race([work(breaks), breaks])
    } finally {
      this.#connections.delete(reject)
    }
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimer(ms, resolve))
  }
}

function broken(): Error {
  return new Error('the connection broke')
}

/** Returns a body that breaks after these bytes. */
function cut(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream<Uint8Array>({
    pull: (sink) => {
      if (isSent) return sink.error(broken())
      isSent = true
      sink.enqueue(bytes)
    },
  })
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Buffer, void> {
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    yield Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}
