// What is a request and its answer, inside? Plain values, so that the server needs no sockets: the HTTP shell and the
// fetch-style handler both speak this.
import type { Json } from '../base/json.ts'
import { parseWireJson, wireJson } from '../base/wire-json.ts'
import { type StatusError, statusOf } from './status-error.ts'
import { yamlText } from './yaml-text.ts'

export interface ApiRequest {
  readonly method: string
  /** Percent-encoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined
  /** All of them, in lower case; absent: none beside those that are asked for. */
  readonly headerNames?: readonly string[]
  readonly body: string
  /** The body where it is no text: it is in protocol buffers. Then `body` is empty. */
  readonly bytes?: Uint8Array
  /** Reads answer as though this were the last revision: what a server that lags behind gives. */
  readonly asOf?: number
}

/** The parameters of a query, as Go reads them: one with a semicolon or a broken escape counts for nothing. */
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

/** A body as its content type says it is. */
export function bodyParts(bytes: Buffer, contentType: string | undefined): Pick<ApiRequest, 'body' | 'bytes'> {
  const isText = bytes.length === 0 || contentType?.startsWith(protobufType) !== true
  return isText ? { body: bytes.toString('utf8') } : { body: '', bytes }
}

/** Whoever answers requests: the server, or something before it. */
export interface Answering {
  answer(request: ApiRequest): Promise<ApiAnswer>
}

/** A connection that ends without an answer, or in the middle of one. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut'
}

/** Takes what a watch or a log sends. */
export interface StreamSink {
  write(chunk: string | Uint8Array): void
  /** Resolves when what was written has left, or nobody reads on; absent: whoever writes need not wait. */
  drained?(): Promise<void>
  /** Ends the answer in order. */
  close(): void
  /** Ends the connection in the middle. */
  cut(): void
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Texts for Warning headers, which may repeat. */
  readonly warnings: readonly string[]
  readonly body: string | undefined
  /** Instead of a body: called once; what it gives back is called when the client has gone. */
  readonly stream?: (sink: StreamSink) => () => void
}

export const jsonType = 'application/json'

export function jsonAnswer(status: number, value: Json, extra: Partial<ApiAnswer> = {}): ApiAnswer {
  return textAnswer(status, `${wireJson(value)}\n`, jsonType, extra)
}

export function textAnswer(status: number, body: string, type: string, extra: Partial<ApiAnswer> = {}): ApiAnswer {
  return { status, warnings: [], body, ...extra, headers: { 'content-type': type, ...extra.headers } }
}

/** An answer that is no text. */
export function bytesAnswer(bytes: Uint8Array, headers: Readonly<Record<string, string>>): ApiAnswer {
  const stream = (sink: StreamSink) => {
    sink.write(bytes)
    sink.close()
    return () => {}
  }
  return { status: 200, headers, warnings: [], body: undefined, stream }
}

/** The answer in YAML, where it is JSON and no stream. */
export function inYaml(answer: ApiAnswer): ApiAnswer {
  if (answer.body === undefined || answer.headers['content-type'] !== jsonType) return answer
  const body = yamlText(parseWireJson(answer.body).value)
  return { ...answer, body, headers: { ...answer.headers, 'content-type': 'application/yaml' } }
}

/** The same answer with warnings, each once. */
export function withWarnings(answer: ApiAnswer, warnings: readonly string[]): ApiAnswer {
  return warnings.length === 0 ? answer : { ...answer, warnings: [...new Set(warnings)] }
}

/** A refusal as it goes out. */
export function refusal({ parts }: StatusError): ApiAnswer {
  if (parts.plainText !== undefined) return textAnswer(parts.code, parts.plainText, 'text/plain; charset=utf-8')
  const seconds = parts.details?.retryAfterSeconds
  return jsonAnswer(parts.code, statusOf(parts), {
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  })
}
