// What may a behaviour ask of an API server? HTTP requests and watches, the same ones of the real server and of ours, so
// that one suite judges both.
import type { Json } from '../../src/base/json.ts'
import type { WatchReader } from './watch-reader.ts'

export type ServerName = 'real' | 'embedded'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD'
  /** As it stands in the URL, escaped, without the query. */
  readonly path: string
  readonly query?: Query | undefined
  /** `content-type` is JSON unless it is said here. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A string goes out as it is, so that it may be no JSON; everything else is written as JSON. */
  readonly body?: Json | undefined
  /** Whose token goes along; `admin` may do everything, `nobody` nothing, `none` sends no token. */
  readonly as?: 'admin' | 'nobody' | 'none' | undefined
}

export interface Answer {
  readonly status: number
  /** Names in lower case; the values of a header that came more than once are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body where it is JSON, else its text. */
  readonly body: Json
}

export interface ServerUnderTest {
  readonly name: ServerName
  /** A refusal is an answer; rejects only where there is none. */
  request(ask: Ask): Promise<Answer>
  /** Sends the request with `watch=true`. Who opens a watch closes it. */
  watch(ask: Omit<Ask, 'method' | 'body'>): Promise<WatchReader>
}
