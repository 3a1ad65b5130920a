// Requests and answers of the server as plain values, independent of sockets.
// The HTTP server and the fetch-style handler both convert to and from them.
import type { Json } from '../base/json.ts'
import { parseWireJson, wireJson } from '../base/wire-json.ts'
import { type StatusError, statusOf } from './status-error.ts'
import { yamlText } from './yaml-text.ts'

export interface ApiRequest {
  readonly method: string
  /** Percent-encoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Returns the value of a header by its lower-case name. */
  header(name: string): string | undefined
  /** Names of all headers in lower case. Absent: only the names passed to `header` are known. */
  readonly headerNames?: readonly string[]
  readonly body: string
  /** Protobuf body. If present, `body` is empty. */
  readonly bytes?: Uint8Array
  /** Revision to answer reads at, like a server that lags behind. */
  readonly asOf?: number
}

/** Parses a query like Go: drops each parameter with a semicolon or a broken escape. */
export function queryOf(text: string): URLSearchParams {
  if (!/;|%(?![0-9a-fA-F]{2})/.test(text)) return new URLSearchParams(text)
  return new URLSearchParams(
    text
      .split('&')
      .filter((parameter) => !/;|%(?![0-9a-fA-F]{2})/.test(parameter))
      .join('&'),
  )
}

export const protobufType = 'application/vnd.kubernetes.protobuf'

/** Returns the body as text, or as bytes for the protobuf content type. */
export function bodyParts(bytes: Buffer, contentType: string | undefined): Pick<ApiRequest, 'body' | 'bytes'> {
  const isText = bytes.length === 0 || contentType?.startsWith(protobufType) !== true
  return isText ? { body: bytes.toString('utf8') } : { body: '', bytes }
}

/** Handler of requests: the server, or a layer in front of it. */
export interface Answering {
  answer(request: ApiRequest): Promise<ApiAnswer>
}

/** A connection that ends before or within an answer. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut'
}

/** Receiver of the chunks of a watch or a log. */
export interface StreamSink {
  write(chunk: string | Uint8Array): void
  /** Resolves when the written chunks were sent or the reader has left. Absent: the writer need not wait. */
  drained?(): Promise<void>
  /** Ends the answer regularly. */
  close(): void
  /** Breaks the connection within the answer. */
  cut(): void
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Texts of Warning headers; duplicates are allowed. */
  readonly warnings: readonly string[]
  readonly body: string | undefined
  /** Replaces the body. Called once; the returned function is called when the client has disconnected. */
  readonly stream?: (sink: StreamSink) => () => void
}

export const jsonType = 'application/json'

export function jsonAnswer(status: number, value: Json, extra: Partial<ApiAnswer> = {}): ApiAnswer {
  return textAnswer(status, `${wireJson(value)}\n`, jsonType, extra)
}

export function textAnswer(status: number, body: string, type: string, extra: Partial<ApiAnswer> = {}): ApiAnswer {
  return { status, warnings: [], body, ...extra, headers: { 'content-type': type, ...extra.headers } }
}

/** Returns an answer with a binary body. */
export function bytesAnswer(bytes: Uint8Array, headers: Readonly<Record<string, string>>): ApiAnswer {
  const stream = (sink: StreamSink) => {
    sink.write(bytes)
    sink.close()
    return () => {}
  }
  return { status: 200, headers, warnings: [], body: undefined, stream }
}

/** Returns a JSON answer as YAML. Streams and other content types stay the same. */
export function inYaml(answer: ApiAnswer): ApiAnswer {
  if (answer.body === undefined || answer.headers['content-type'] !== jsonType) return answer
  const body = yamlText(parseWireJson(answer.body).value)
  return { ...answer, body, headers: { ...answer.headers, 'content-type': 'application/yaml' } }
}

/** Returns the answer with the deduplicated warnings. */
export function withWarnings(answer: ApiAnswer, warnings: readonly string[]): ApiAnswer {
  return warnings.length === 0 ? answer : { ...answer, warnings: [...new Set(warnings)] }
}

/** Returns the answer of a rejected request. */
export function refusal({ parts }: StatusError): ApiAnswer {
  if (parts.plainText !== undefined) return textAnswer(parts.code, parts.plainText, 'text/plain; charset=utf-8')
  const seconds = parts.details?.retryAfterSeconds
  return jsonAnswer(parts.code, statusOf(parts), {
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  })
}
