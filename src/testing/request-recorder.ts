// Records each request to the API server and its status. A test can check that nothing was written, or that a right was
// missing.
import type { Answering, ApiAnswer, ApiRequest } from '../apiserver/exchange.ts'
import { type RequestInfo, requestInfoOf } from '../apiserver/request-info.ts'

/** One request and its result. */
export interface RequestRecord
  extends Pick<RequestInfo, 'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name' | 'path'> {
  readonly userAgent: string
  /** HTTP status of the response; 0 without a response, or if the connection was cut. */
  readonly code: number
}

export class RequestRecorder implements Answering {
  readonly #server: Answering
  readonly #records: RequestRecord[] = []

  constructor(server: Answering) {
    this.#server = server
  }

  /** In the order of the requests. */
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
