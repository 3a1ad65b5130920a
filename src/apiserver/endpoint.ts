// Port of endpoints that are not stored objects: reviews, `pods/binding`, `pods/log`, tokens.
// The group, version, resource and subresource of the path select the endpoint.
import type { ApiAnswer, ApiRequest } from './exchange.ts'
import type { RequestInfo } from './request-info.ts'
import type { User } from './user.ts'

export interface EndpointRequest {
  readonly request: ApiRequest
  readonly info: RequestInfo
  readonly user: User
}

export interface Endpoint {
  /** Supported verbs. The server answers 405 to any other. */
  readonly verbs: readonly string[]
  /** Throws StatusError to reject the request. */
  handle(asked: EndpointRequest): ApiAnswer | Promise<ApiAnswer>
}

/** Returns the key of an endpoint: `authorization.k8s.io/v1/selfsubjectaccessreviews`, `/v1/pods/binding`. */
export function endpointKey({
  group,
  version,
  resource,
  subresource,
}: Pick<RequestInfo, 'group' | 'version' | 'resource' | 'subresource'>): string {
  return `${group}/${version}/${resource}${subresource === '' ? '' : `/${subresource}`}`
}
