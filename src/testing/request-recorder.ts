// What has been asked of the API server? Stands before it and keeps a line for each request with what became of it, so that a test can
// say "nothing was written" or "that right was missing".
import type { Answering, ApiAnswer, ApiRequest } from '../apiserver/exchange.ts'
import { type RequestInfo, requestInfoOf } from '../apiserver/request-info.ts'

export interface RequestRecord
  extends Pick<RequestInfo, 'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name' | 'path'> {
  readonly userAgent: string
  /** The answer's HTTP status; 0 while there is none, and where the connection was cut. */
  readonly code: number
}

export class RequestRecorder implements Answering {
  readonly #server: Answering
  readonly #records: RequestRecord[] = []

  constructor(server: Answering) {
    this.#server = server
  }

  /** In the order in which they were asked. */
  get records(): readonly RequestRecord[] {
    return this.#records
  }

  async answer(request: ApiRequest): Promise<ApiAnswer> {
    const { verb, group, resource, subresource, namespace, name, path } = requestInfoOf(
      request.method,
      request.path,
      request.query,
    )
    const userAgent = request.header('user-agent') ?? ''
    const asked = { userAgent, verb, group, resource, subresource, namespace, name, path, code: 0 }
    const index = this.#records.push(asked) - 1
    const answer = await this.#server.answer(request)
    this.#records[index] = { ...asked, code: answer.status }
    return answer
  }
}
