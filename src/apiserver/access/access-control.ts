// Authentication and authorization: bearer tokens to users, impersonation headers to other users, RBAC rules to a
// decision.
// Source: k8s.io/apiserver/pkg/{authentication,authorization,endpoints/filters/impersonation}.
import type { Clock } from '../../base/clock.ts'
import type { Access } from '../api-server.ts'
import type { ApiRequest } from '../exchange.ts'
import { goQuoted } from '../field-error.ts'
import { metadataText } from '../metadata.ts'
import type { ObjectLog } from '../object-log.ts'
import type { RequestInfo } from '../request-info.ts'
import { unauthorized } from '../status-error.ts'
import type { User } from '../user.ts'
import { forbiddenAccess } from './forbidden-text.ts'
import { Impersonation, wantedUserOf } from './impersonation.ts'
import { type AccessAttributes, type Decision, decide } from './policy-rules.ts'
import { issuer, readToken, type TokenClaims, tokenUser } from './service-account-token.ts'

export interface AccessControlOptions {
  readonly clock: Clock
  readonly log: ObjectLog
  /** Users by static bearer token. */
  readonly tokens: ReadonlyMap<string, User>
  /** Key that signs and verifies service account tokens. */
  readonly tokenKey: string
}

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

export type Reviewed = { readonly user: User; readonly audiences: readonly string[] } | { readonly error: string }

const unknown = 'invalid bearer token'

export class AccessControl implements Access {
  readonly #options: AccessControlOptions
  readonly #impersonation = new Impersonation((user, attributes) => this.decide(user, attributes))

  constructor(options: AccessControlOptions) {
    this.#options = options
  }

  authenticate(request: ApiRequest, info: RequestInfo): User {
    const token = bearerToken(request.header('authorization'))
    const requestor = token === undefined ? anonymous : this.userOf(token)
    if (requestor === undefined) throw unauthorized()
    const wanted = wantedUserOf(request)
    if (wanted === undefined) return requestor
    return this.#impersonation.impersonate({ requestor, wanted, attributes: attributesOf(info) })
  }

  authorize(user: User, info: RequestInfo): void {
    const attributes = attributesOf(info)
    const decision = this.decide(user, attributes)
    if (!decision.isAllowed) throw forbiddenAccess(user, attributes, decision.reason)
  }

  decide(user: User, attributes: AccessAttributes): Decision {
    return decide(user, attributes, this.#options.log)
  }

  /**
   * Returns the user of a token.
   * Undefined for a foreign, expired or other audience's token, or if its owner no longer exists.
   */
  userOf(token: string): User | undefined {
    const found = this.review(token, [issuer])
    return 'user' in found ? found.user : undefined
  }

  /** Returns the user of a token and the accepted subset of `audiences`, or why the token is invalid. */
  review(token: string, audiences: readonly string[]): Reviewed {
    const fixed = this.#options.tokens.get(token)
    if (fixed !== undefined)
      return audiences.includes(issuer) ? { user: fixed, audiences: [issuer] } : { error: unknown }
    const claims = readToken(token, this.#options.tokenKey, Math.floor(this.#options.clock.now() / 1_000))
    if (claims === undefined) return { error: unknown }
    const shared = claims.audiences.filter((audience) => audiences.includes(audience))
    if (shared.length === 0)
      return {
        error: `[${unknown}, token audiences ${goList(claims.audiences)} is invalid for the target audiences ${goList(audiences)}]`,
      }
    return this.#isAlive(claims) ? { user: tokenUser(claims), audiences: shared } : { error: unknown }
  }

  #isAlive({ namespace, serviceAccount, boundTo }: TokenClaims): boolean {
    const uidAt = (shelf: string, name: string): string | undefined => {
      const state = this.#options.log.get({ shelf, namespace: shelf === 'nodes' ? '' : namespace, name })
      return state === undefined ? undefined : metadataText(state.object, 'uid')
    }
    if (uidAt('serviceaccounts', serviceAccount.name) !== serviceAccount.uid) return false
    return boundTo === undefined || uidAt(`${boundTo.kind}s`, boundTo.name) === boundTo.uid
  }
}

/**
 * Returns the token, or undefined: a header of another form contains none.
 * Source: authentication/request/bearertoken.
 */
function bearerToken(header: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ')
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

function attributesOf(info: RequestInfo): AccessAttributes {
  const { isResourceRequest, verb, group, resource, subresource, namespace, name, path } = info
  return { isResourceRequest, verb, group, resource, subresource, namespace, name, path }
}

function goList(texts: readonly string[]): string {
  return `[${texts.map(goQuoted).join(' ')}]`
}
