// What is one request for the objects of one resource, once the router has found it?
import type { ApiRequest } from './exchange.ts'
import type { RequestInfo } from './request-info.ts'
import type { ServedResource } from './strategy.ts'
import type { User } from './user.ts'

/** One request for one resource. */
export interface ResourceRequest {
  readonly request: ApiRequest
  readonly info: RequestInfo
  readonly resource: ServedResource
  readonly user: User
  /** Takes texts for Warning headers, which a refusal carries too. */
  readonly warnings: string[]
  /** Throws StatusError (403) if the user may not create: asked when an update or an apply creates. */
  readonly authorizeCreate: () => void
}
