// Fetch-style entry for code in the same process: a Request in, a Response out, watches as byte streams.
// The stream buffers chunks that the reader has not taken.
import type { Answering, ApiAnswer } from './exchange.ts'
import { bodyParts, ConnectionCut, queryOf } from './exchange.ts'

/**
 * Answers a request like fetch; ignores the host of its URL.
 * Rejects with ConnectionCut where a connection would break.
 */
export async function handleFetch(server: Answering, request: Request): Promise<Response> {
  const url = new URL(request.url)
  const answer = await server.answer({
    method: request.method,
    path: url.pathname,
    query: queryOf(url.search.slice(1)),
    header: (name) => request.headers.get(name) ?? undefined,
    headerNames: [...request.headers.keys()],
    ...(request.body === null
      ? { body: '' }
      : bodyParts(Buffer.from(await request.arrayBuffer()), request.headers.get('content-type') ?? undefined)),
  })
  const headers = new Headers(answer.headers)
  for (const text of answer.warnings) headers.append('warning', `299 - ${JSON.stringify(text)}`)
  const hasNoBody = request.method === 'HEAD' || answer.status === 304 || answer.status === 204
  return new Response(hasNoBody ? null : bodyOf(answer), { status: answer.status, headers })
}

function bodyOf({ body, stream }: ApiAnswer): string | ReadableStream<Uint8Array> {
  if (stream === undefined) return body ?? ''
  const encoder = new TextEncoder()
  let stop = () => {}
  let isOpen = true
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const once = (end: () => void) => () => {
        if (isOpen) end()
        isOpen = false
      }
      stop = stream({
        write: (chunk) => isOpen && controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk),
        close: once(() => controller.close()),
        cut: once(() => controller.error(new ConnectionCut('the connection ended in the middle of an answer'))),
      })
    },
    // An injected fault may deliver an event after the reader has left.
    cancel: () => {
      isOpen = false
      stop()
    },
  })
}
