// Port of an API server for behaviours: HTTP requests and watches, equal for the real and the embedded server.
import type { Json } from '../../src/base/json.ts'
import type { WatchReader } from './watch-reader.ts'

export type ServerName = 'real' | 'embedded'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD'
  /** Escaped as in the URL, without the query. */
  readonly path: string
  readonly query?: Query | undefined
  /** Default of `content-type`: JSON. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A string is sent unchanged and may be no JSON; every other value is sent as JSON. */
  readonly body?: Json | undefined
  /** User of the token: `admin` may do everything, `nobody` nothing; `none` sends no token. */
  readonly as?: 'admin' | 'nobody' | 'none' | undefined
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeated values of a header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body if it is JSON, else its text. */
  readonly body: Json
}

export interface ServerUnderTest {
  readonly name: ServerName
  /** Rejects only without a response; an error status is a response. */
  request(ask: Ask): Promise<Answer>
  /** Sends the request with `watch=true`. The caller closes the watch. */
  watch(ask: Omit<Ask, 'method' | 'body'>): Promise<WatchReader>
}
