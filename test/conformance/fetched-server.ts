// Server under test behind a function like `fetch`: the real server over TLS, or the handler of the embedded one. URLs,
// bodies and
// parsing are the same for both.
import type { Json } from '../../src/base/json.ts'
import { parseWireJson, WireJsonError, wireJson } from '../../src/base/wire-json.ts'
import type { Answer, Ask, ServerName, ServerUnderTest } from './server-under-test.ts'
import { WatchReader } from './watch-reader.ts'

export interface Message {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Part of a response that the suite reads. */
export interface Reply {
  readonly status: number
  readonly headers: Iterable<[string, string]>
  readonly body: AsyncIterable<Uint8Array> | null
  text(): Promise<string>
}

export interface FetchedServerOptions {
  readonly name: ServerName
  /** `target` is path and query. */
  readonly send: (target: string, message: Message) => Promise<Reply>
  readonly tokens: Readonly<Record<'admin' | 'nobody', string>>
}

const limitMs = 60_000

/** Names the client, and is the default field manager: `conformance`. */
const userAgent = 'conformance/1.0'

export class FetchedServer implements ServerUnderTest {
  readonly name: ServerName
  readonly #options: FetchedServerOptions

  constructor(options: FetchedServerOptions) {
    this.name = options.name
    this.#options = options
  }

  async request(ask: Ask): Promise<Answer> {
    const reply = await this.#options.send(targetOf(ask), this.#message(ask, AbortSignal.timeout(limitMs)))
    const text = await reply.text()
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: bodyOf(text) }
  }

  async watch(ask: Omit<Ask, 'method' | 'body'>): Promise<WatchReader> {
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(limitMs)])
    const target = targetOf({ ...ask, query: { ...ask.query, watch: true } })
    const reply = await this.#options.send(target, this.#message({ ...ask, method: 'GET' }, signal))
    return new WatchReader({
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      chunks: (reply.body ?? noChunks())[Symbol.asyncIterator](),
      close: () => ending.abort(),
    })
  }

  #message({ method, headers, body, as = 'admin' }: Ask, signal: AbortSignal): Message {
    const token = as === 'none' ? {} : { authorization: `Bearer ${this.#options.tokens[as]}` }
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    return {
      method,
      headers: { 'user-agent': userAgent, ...token, ...content, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : wireJson(body) }),
      signal,
    }
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

function targetOf({ path, query = {} }: Pick<Ask, 'path' | 'query'>): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.append(key, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

function bodyOf(text: string): Json {
  try {
    return parseWireJson(text).value
  } catch (thrown) {
    if (thrown instanceof WireJsonError) return text
    throw thrown
  }
}
