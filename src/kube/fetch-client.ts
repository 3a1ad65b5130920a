// Transport of requests to a server in the same process: a function from Request to Response. Its errors equal those of
// the network transport. It has no connections and no credentials to renew, and no timeout unless a limit is given.
import { type Clock, deadline } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { HttpExchange, HttpRequest } from './http-client.ts'
import { KubeError, kubeErrorOf } from './kube-errors.ts'
import { untilAborted } from './shared-runner.ts'
import { statusOf } from './status-body.ts'

export interface FetchClientOptions {
  readonly fetch: (request: Request) => Promise<Response>
  /** Sent as a bearer token. */
  readonly token: string
  readonly userAgent: string
  /** Time limit of a whole request, and of the start of a watch. Absent: no limit. */
  readonly limit?: { readonly clock: Clock; readonly requestMs: number }
}

export class FetchClient implements HttpExchange {
  readonly #options: FetchClientOptions
  readonly #life = new AbortController()

  constructor(options: FetchClientOptions) {
    this.#options = options
  }

  async exchange(request: HttpRequest, signal: AbortSignal): Promise<string> {
    return this.#within(request, signal, async (limited) => {
      const response = await this.#send(request, limited)
      return response.text().catch((thrown: unknown) => {
        throw unreachable(request, thrown)
      })
    })
  }

  async *stream(request: HttpRequest, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const response = await this.#within(request, signal, (limited) => this.#send(request, limited))
    request.onAnswered?.()
    if (response.body === null) return
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const ends = AbortSignal.any([signal, this.#life.signal])
    const cancel = () => void reader.cancel(ends.reason).catch(() => {})
    ends.addEventListener('abort', cancel, { once: true })
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (signal.aborted) throw signal.reason
        if (done) return
        yield value
      }
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      throw unreachable(request, thrown)
    } finally {
      ends.removeEventListener('abort', cancel)
      cancel()
    }
  }

  /** Ends the open streams. */
  async close(): Promise<void> {
    this.#life.abort(new DOMException('the client is closed', 'AbortError'))
  }

  async #within<T>({ attempt }: HttpRequest, signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>) {
    const { limit: limits } = this.#options
    if (limits === undefined) return work(signal)
    const limit = deadline(limits.clock, limits.requestMs, signal)
    try {
      return await work(limit.signal)
    } catch (thrown) {
      if (!limit.hasPassed()) throw thrown
      const seconds = limits.requestMs / 1000
      const message = `${attempt}: no whole answer within ${seconds} s; a write may have happened all the same`
      throw new KubeError({ code: 'Timeout', message })
    } finally {
      limit.clear()
    }
  }

  async #send(
    { method, path, accept = 'application/json', content, attempt }: HttpRequest,
    signal: AbortSignal,
  ): Promise<Response> {
    if (signal.aborted) throw signal.reason
    const { fetch, token, userAgent } = this.#options
    const headers = new Headers({ accept, 'user-agent': userAgent, authorization: `Bearer ${token}` })
    if (content !== undefined) headers.set('content-type', content.type)
    const body = content === undefined ? {} : { body: content.body }
    const response = await untilAborted(
      fetch(new Request(`http://in-process${path}`, { method, headers, ...body })),
      signal,
    ).catch((thrown: unknown) => {
      if (signal.aborted) throw signal.reason
      throw unreachable({ attempt }, thrown)
    })
    if (response.ok) return response
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw kubeErrorOf({
      attempt,
      httpStatus: response.status,
      body: statusOf(await response.text()),
      ...(Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {}),
    })
  }
}

function unreachable({ attempt }: Pick<HttpRequest, 'attempt'>, thrown: unknown): KubeError {
  const message = `${attempt}: no whole answer came from the API server in this process: ${messageOf(thrown)}`
  return new KubeError({ code: 'Unreachable', message, cause: thrown })
}
