// Client for single JSON requests to the API server over TLS, with a timeout.
import { request } from 'node:https'

export interface ApiAccess {
  readonly url: string
  /** Certificate of the certificate authority, as text. */
  readonly ca: string
  readonly token: string
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** A string is sent unchanged; an object as JSON. */
  readonly body?: object | string
  /** Content type of the request; for a PATCH the kind of patch. Default: plain JSON. */
  readonly contentType?: string
  /** Default: the server's choice, which is JSON. */
  readonly accept?: string
}

export interface ApiAnswer {
  readonly status: number
  readonly text: string
  /** Raw body, for content that may be no text. */
  readonly bytes: Buffer
}

const limitMs = 30_000

/** Rejects only without a response; an error status is a response. */
export function apiRequest(access: ApiAccess, ask: ApiRequest): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      method: ask.method,
      ca: access.ca,
      headers: {
        authorization: `Bearer ${access.token}`,
        'content-type': ask.contentType ?? 'application/json',
        accept: ask.accept ?? '*/*',
      },
      signal: AbortSignal.timeout(limitMs),
    }
    const outgoing = request(new URL(ask.path, access.url), options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, text: bytes.toString('utf8'), bytes })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(bodyTextOf(ask))
  })
}

/** Returns undefined without a body. */
export function bodyTextOf({ body }: Pick<ApiRequest, 'body'>): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : body
}
