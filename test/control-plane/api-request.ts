// How do the tools of this folder ask the API server something? One JSON request over TLS, bounded in time.
import { request } from 'node:https'

export interface ApiAccess {
  readonly url: string
  /** The text of the certificate authority. */
  readonly ca: string
  readonly token: string
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** A text is sent as it is; an object as JSON. */
  readonly body?: object | string
  /** A PATCH says which kind of patch it is. Default: plain JSON. */
  readonly contentType?: string
  /** Default: whatever the server likes, which is JSON. */
  readonly accept?: string
}

export interface ApiAnswer {
  readonly status: number
  readonly text: string
  /** The same, where it may be no text. */
  readonly bytes: Buffer
}

const limitMs = 30_000

/** Rejects only if there is no answer; a refusal is an answer. */
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

/** Undefined: there is no body. */
export function bodyTextOf({ body }: Pick<ApiRequest, 'body'>): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : body
}
