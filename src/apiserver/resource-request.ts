// Request for one resource, as the router passes it to the handlers.
import type { ApiRequest } from './exchange.ts'
import type { RequestInfo } from './request-info.ts'
import type { ServedResource } from './strategy.ts'
import type { User } from './user.ts'

export interface ResourceRequest {
  readonly request: ApiRequest
  readonly info: RequestInfo
  readonly resource: ServedResource
  readonly user: User
  /** Collects texts of Warning headers; errors carry them too. */
  readonly warnings: string[]
  /** Throws StatusError (403) if the user may not create. Called before an update or apply creates an object. */
  readonly authorizeCreate: () => void
}
