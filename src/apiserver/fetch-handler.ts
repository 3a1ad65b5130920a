// How does code in the same process ask the server? As it would ask any other: a Request in, a Response out, watches as a stream
// of bytes. What the reader does not take waits for it.
import type { ApiServer } from './api-server.ts'
import type { ApiAnswer } from './exchange.ts'

/** Answers a request as fetch would. The host of its URL does not matter. */
export async function handleFetch(server: ApiServer, request: Request): Promise<Response> {
  const url = new URL(request.url)
  const answer = await server.answer({
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    body: request.body === null ? '' : await request.text(),
  })
  const headers = new Headers(answer.headers)
  for (const text of answer.warnings) headers.append('warning', `299 - ${JSON.stringify(text)}`)
  const hasNoBody = answer.status === 304 || answer.status === 204
  return new Response(hasNoBody ? null : bodyOf(answer), { status: answer.status, headers })
}

function bodyOf({ body, stream }: ApiAnswer): string | ReadableStream<Uint8Array> {
  if (stream === undefined) return body ?? ''
  const encoder = new TextEncoder()
  let stop = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stop = stream({
        write: (text) => controller.enqueue(encoder.encode(text)),
        close: () => controller.close(),
      })
    },
    cancel: () => stop(),
  })
}
