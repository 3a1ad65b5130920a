// What else is asked of the API server than objects? Endpoints that compute an answer or act on an object in a way of their own:
// reviews, `pods/binding`, `pods/log`, tokens. Each is found by its path's group, version, resource and subresource.
import type { ApiAnswer, ApiRequest } from './exchange.ts'
import type { RequestInfo } from './request-info.ts'
import type { User } from './user.ts'

export interface EndpointRequest {
  readonly request: ApiRequest
  readonly info: RequestInfo
  readonly user: User
}

export interface Endpoint {
  /** Verbs it answers; any other is refused with 405. */
  readonly verbs: readonly string[]
  /** Throws StatusError for a refusal. */
  handle(asked: EndpointRequest): ApiAnswer | Promise<ApiAnswer>
}

/** `authorization.k8s.io/v1/selfsubjectaccessreviews`, `/v1/pods/binding`. */
export function endpointKey({
  group,
  version,
  resource,
  subresource,
}: Pick<RequestInfo, 'group' | 'version' | 'resource' | 'subresource'>): string {
  return `${group}/${version}/${resource}${subresource === '' ? '' : `/${subresource}`}`
}
