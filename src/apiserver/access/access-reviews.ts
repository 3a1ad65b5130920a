// Review endpoints of authorization.k8s.io and authentication.k8s.io.
// Each takes an object and returns it with its status; nothing is stored.
// Source: k8s.io/kubernetes/pkg/registry/{authorization,authentication}.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import type { Endpoint, EndpointRequest } from '../endpoint.ts'
import { jsonAnswer } from '../exchange.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import type { View } from '../object-log.ts'
import { bodyTypeOf, parseObject } from '../request-body.ts'
import { badRequest, invalidObject } from '../status-error.ts'
import type { User } from '../user.ts'
import type { AccessControl } from './access-control.ts'
import { type AccessAttributes, type PolicyRule, rightsOf } from './policy-rules.ts'
import { issuer } from './service-account-token.ts'

export interface ReviewOptions {
  readonly access: AccessControl
  readonly view: View
  /** Returns the current time, RFC 3339 as in metadata. */
  readonly timestamp: () => string
}

/** Returns the endpoints by key. */
export function reviewEndpoints({ access, view, timestamp }: ReviewOptions): ReadonlyMap<string, Endpoint> {
  const authorization = (kind: string, statusOf: (spec: JsonObject, asked: EndpointRequest) => JsonObject) =>
    review('authorization.k8s.io', kind, statusOf)
  const authentication = (kind: string, statusOf: (spec: JsonObject, asked: EndpointRequest) => JsonObject) =>
    review('authentication.k8s.io', kind, statusOf)
  return new Map([
    authorization('SelfSubjectAccessReview', (spec, { user }) =>
      decision(access, user, checkedAttributes(spec, 'SelfSubjectAccessReview')),
    ),
    authorization('SubjectAccessReview', (spec) =>
      decision(access, subjectOf(spec, 'SubjectAccessReview'), checkedAttributes(spec, 'SubjectAccessReview')),
    ),
    authorization('LocalSubjectAccessReview', (spec, { info }) => {
      const attributes = checkedAttributes(spec, 'LocalSubjectAccessReview')
      if (attributes.namespace !== info.namespace)
        throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${info.namespace}`)
      return decision(access, subjectOf(spec, 'LocalSubjectAccessReview'), attributes)
    }),
    // These two build the answer without the object of the request.
    endpoint('authorization.k8s.io', 'SelfSubjectRulesReview', (asked) => {
      const namespace = text(own(specOf(bodyOf(asked)), 'namespace'))
      if (namespace === '') throw badRequest('no namespace on request')
      return { metadata: {}, spec: {}, status: rulesStatus(asked.user, namespace, view) }
    }),
    endpoint('authentication.k8s.io', 'SelfSubjectReview', (asked) => {
      bodyOf(asked)
      return { metadata: { creationTimestamp: timestamp() }, status: { userInfo: userInfo(asked.user) } }
    }),
    authentication('TokenReview', (spec) =>
      tokenStatus(access, text(own(spec, 'token')), texts(own(spec, 'audiences'))),
    ),
  ])
}

function review(
  group: string,
  kind: string,
  statusOf: (spec: JsonObject, asked: EndpointRequest) => JsonObject,
): readonly [string, Endpoint] {
  return endpoint(group, kind, (asked) => {
    const value = bodyOf(asked)
    const metadata = own(value, 'metadata')
    const status = statusOf(specOf(value), asked)
    const spec = own(value, 'spec')
    return { metadata: isJsonObject(metadata) ? metadata : {}, ...(isJsonObject(spec) ? { spec } : {}), status }
  })
}

function endpoint(
  group: string,
  kind: string,
  answerTo: (asked: EndpointRequest) => JsonObject,
): readonly [string, Endpoint] {
  const handle = (asked: EndpointRequest) => jsonAnswer(201, { kind, apiVersion: `${group}/v1`, ...answerTo(asked) })
  return [`${group}/v1/${kind.toLowerCase()}s`, { verbs: ['create'], handle }]
}

/** Returns the body. Throws StatusError (400, 415). */
function bodyOf({ request }: EndpointRequest): JsonObject {
  const type = bodyTypeOf(request.header('content-type'))
  return parseObject(request.body, type, "couldn't get version/kind; json parse error").value
}

function specOf(body: JsonObject): JsonObject {
  const spec = own(body, 'spec')
  return isJsonObject(spec) ? spec : {}
}

function decision(access: AccessControl, user: User, attributes: AccessAttributes): JsonObject {
  const { isAllowed, reason } = access.decide(user, attributes)
  return { allowed: isAllowed, ...(reason === '' ? {} : { reason }) }
}

/** Returns the attributes of a spec. Throws StatusError (422) unless it asks for exactly one kind of access. */
function checkedAttributes(spec: JsonObject, kind: string): AccessAttributes {
  const resource = own(spec, 'resourceAttributes')
  const other = own(spec, 'nonResourceAttributes')
  const [hasResource, hasOther] = [isJsonObject(resource), isJsonObject(other)]
  const faults: FieldError[] = [
    ...(hasResource && hasOther
      ? [
          invalid(
            'spec.nonResourceAttributes',
            other as JsonObject,
            'cannot be specified in combination with resourceAttributes',
          ),
        ]
      : []),
    ...(hasResource || hasOther
      ? []
      : [
          invalid(
            'spec.resourceAttributes',
            null,
            'exactly one of nonResourceAttributes or resourceAttributes must be specified',
          ),
        ]),
  ]
  if (faults.length > 0) throw invalidObject({ group: 'authorization.k8s.io', kind }, '', faults)
  const none = { group: '', resource: '', subresource: '', namespace: '', name: '', path: '' }
  if (isJsonObject(resource))
    return {
      ...none,
      isResourceRequest: true,
      verb: text(own(resource, 'verb')),
      group: text(own(resource, 'group')),
      resource: text(own(resource, 'resource')),
      subresource: text(own(resource, 'subresource')),
      namespace: text(own(resource, 'namespace')),
      name: text(own(resource, 'name')),
    }
  const plain = isJsonObject(other) ? other : {}
  return { ...none, isResourceRequest: false, verb: text(own(plain, 'verb')), path: text(own(plain, 'path')) }
}

function subjectOf(spec: JsonObject, kind: string): User {
  const name = text(own(spec, 'user'))
  const groups = texts(own(spec, 'groups'))
  if (name === '' && groups.length === 0)
    throw invalidObject({ group: 'authorization.k8s.io', kind }, '', [
      required('spec.user', 'at least one of user or group must be specified'),
    ])
  return { name, groups }
}

function rulesStatus(user: User, namespace: string, view: View): JsonObject {
  const rules: readonly PolicyRule[] = user.groups.includes('system:masters')
    ? [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceUrls: [] },
        { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceUrls: ['*'] },
      ]
    : rightsOf(user, namespace, view).rules
  return {
    resourceRules: rules
      .filter(({ resources }) => resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length === 0 ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceUrls }) => nonResourceUrls.length > 0)
      .map(({ verbs, nonResourceUrls }) => ({ verbs, nonResourceURLs: nonResourceUrls })),
    incomplete: false,
  }
}

/** Returns the status of a TokenReview. Default audience: the server's own. */
function tokenStatus(access: AccessControl, token: string, audiences: readonly string[]): JsonObject {
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const found = access.review(token, audiences.length === 0 ? [issuer] : audiences)
  if ('error' in found) return { user: {}, error: found.error }
  return { authenticated: true, user: userInfo(found.user), audiences: found.audiences }
}

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups, ...(extra === undefined ? {} : { extra }) }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((item) => typeof item === 'string') : []
}
