// Who asks, and may they? Bearer tokens to users, impersonation headers to other users, and the rules of the cluster's roles to a
// decision. Source: k8s.io/apiserver/pkg/{authentication,authorization,endpoints/filters/impersonation}.
import type { Clock } from '../../base/clock.ts'
import type { Access } from '../api-server.ts'
import type { ApiRequest } from '../exchange.ts'
import { metadataText } from '../metadata.ts'
import type { ObjectLog } from '../object-log.ts'
import type { RequestInfo } from '../request-info.ts'
import { badRequest, unauthorized } from '../status-error.ts'
import type { User } from '../user.ts'
import { forbiddenAccess } from './forbidden-text.ts'
import { type AccessAttributes, type Decision, decide } from './policy-rules.ts'
import { readToken, serviceAccountUser, type TokenClaims } from './service-account-token.ts'

export interface AccessControlOptions {
  readonly clock: Clock
  readonly log: ObjectLog
  /** Users by their fixed tokens. */
  readonly tokens: ReadonlyMap<string, User>
  /** Signs and checks the tokens of service accounts. */
  readonly tokenKey: string
}

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

export class AccessControl implements Access {
  readonly #options: AccessControlOptions

  constructor(options: AccessControlOptions) {
    this.#options = options
  }

  authenticate(request: ApiRequest): User {
    const token = /^Bearer\s+(.+)$/i.exec(request.header('authorization') ?? '')?.[1]
    const user = token === undefined ? anonymous : this.userOf(token.trim())
    if (user === undefined) throw unauthorized()
    const wanted = impersonationOf(request)
    if (wanted === undefined) return user
    for (const attributes of impersonationRights(wanted)) {
      const decision = this.decide(user, attributes)
      if (!decision.isAllowed) throw forbiddenAccess(user, attributes, decision.reason)
    }
    return impersonatedUser(wanted)
  }

  authorize(user: User, info: RequestInfo): void {
    const attributes = attributesOf(info)
    const decision = this.decide(user, attributes)
    if (!decision.isAllowed) throw forbiddenAccess(user, attributes, decision.reason)
  }

  decide(user: User, attributes: AccessAttributes): Decision {
    return decide(user, attributes, this.#options.log)
  }

  /** The user of a token; undefined for one that is not ours, has expired, or whose owner is gone. */
  userOf(token: string): User | undefined {
    const fixed = this.#options.tokens.get(token)
    if (fixed !== undefined) return fixed
    const claims = readToken(token, this.#options.tokenKey, Math.floor(this.#options.clock.now() / 1_000))
    if (claims === undefined || !this.#isAlive(claims)) return undefined
    return serviceAccountUser(claims.namespace, claims.serviceAccount.name, claims.serviceAccount.uid)
  }

  #isAlive({ namespace, serviceAccount, boundTo }: TokenClaims): boolean {
    const uidAt = (shelf: string, name: string): string | undefined => {
      const state = this.#options.log.get({ shelf, namespace, name })
      return state === undefined ? undefined : metadataText(state.object, 'uid')
    }
    if (uidAt('serviceaccounts', serviceAccount.name) !== serviceAccount.uid) return false
    if (boundTo === undefined || boundTo.kind === 'node') return true
    return uidAt(`${boundTo.kind}s`, boundTo.name) === boundTo.uid
  }
}

export function attributesOf(info: RequestInfo): AccessAttributes {
  const { isResourceRequest, verb, group, resource, subresource, namespace, name, path } = info
  return { isResourceRequest, verb, group, resource, subresource, namespace, name, path }
}

interface Impersonation {
  readonly name: string
  /** Those that the request names; each has to be allowed. */
  readonly groups: readonly string[]
  readonly uid: string | undefined
}

const serviceAccountName = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Throws StatusError (400) for groups without a user. */
function impersonationOf(request: ApiRequest): Impersonation | undefined {
  const name = request.header('impersonate-user') ?? ''
  const groups = (request.header('impersonate-group') ?? '').split(', ').filter((group) => group !== '')
  const uid = request.header('impersonate-uid')
  if (name !== '') return { name, groups, uid }
  if (groups.length === 0 && uid === undefined) return undefined
  const shown = groups.map((group) => `{Group  ${group}  authentication.k8s.io/v1  }`).join(' ')
  throw badRequest(`requested [${shown}] without impersonating a user`)
}

function impersonatedUser({ name, groups, uid }: Impersonation): User {
  const account = serviceAccountName.exec(name)
  const implied =
    account === null || groups.length > 0 ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`]
  const last = name === anonymous.name ? 'system:unauthenticated' : 'system:authenticated'
  const all = [...groups, ...implied]
  return { name, groups: all.includes(last) ? all : [...all, last], ...(uid === undefined ? {} : { uid }) }
}

/** What one has to be allowed, to become that user. */
function impersonationRights({ name, groups, uid }: Impersonation): readonly AccessAttributes[] {
  const account = serviceAccountName.exec(name)
  const right = (resource: string, of: Partial<AccessAttributes>): AccessAttributes => ({
    isResourceRequest: true,
    verb: 'impersonate',
    group: '',
    resource,
    subresource: '',
    namespace: '',
    name: '',
    path: '',
    ...of,
  })
  const self =
    account === null
      ? right('users', { name })
      : right('serviceaccounts', { namespace: account[1] ?? '', name: account[2] ?? '' })
  return [
    self,
    ...groups.map((group) => right('groups', { name: group })),
    ...(uid === undefined ? [] : [right('uids', { group: 'authentication.k8s.io', name: uid })]),
  ]
}
