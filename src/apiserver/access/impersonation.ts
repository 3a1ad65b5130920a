// Impersonation: five modes, tried in turn. Four constrained modes check the requested action too; the legacy mode does
// not.
// If all modes fail, the first error is returned.
// Source: k8s.io/apiserver/pkg/endpoints/filters/impersonation.

import { domainPrefixedPathErrors } from '../built-in/domain-path.ts'
import type { ApiRequest } from '../exchange.ts'
import { aggregateText, errorText, goQuoted } from '../field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../name-rules.ts'
import { badRequest, type StatusError } from '../status-error.ts'
import type { User } from '../user.ts'
import { forbiddenAccess } from './forbidden-text.ts'
import type { AccessAttributes, Decision } from './policy-rules.ts'

/** User that a request impersonates; absent values are empty. */
export interface WantedUser {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

export interface ImpersonationRequest {
  readonly requestor: User
  readonly wanted: WantedUser
  /** Attributes of the action to perform as the other user. */
  readonly attributes: AccessAttributes
}

type Decide = (user: User, attributes: AccessAttributes) => Decision

const authentication = 'authentication.k8s.io'
const anonymousName = 'system:anonymous'
const [authenticated, unauthenticated] = ['system:authenticated', 'system:unauthenticated']
const nodeNameKey = 'authentication.kubernetes.io/node-name'
/** Number of groups or extra values from which a wildcard right is checked first. */
const many = 4
/** Number of users whose last successful mode is remembered. */
const maxRemembered = 10_000

/** Returns the impersonated user, or undefined. Throws StatusError (400) for groups, uid or extra without a user. */
export function wantedUserOf({ header, headerNames = [] }: ApiRequest): WantedUser | undefined {
  const name = header('impersonate-user') ?? ''
  const uid = header('impersonate-uid') ?? ''
  const groups = header('impersonate-group')?.split(', ') ?? []
  const extra: [string, readonly string[]][] = []
  for (const key of headerNames)
    if (key.startsWith(extraPrefix))
      extra.push([unescaped(key.slice(extraPrefix.length)), header(key)?.split(', ') ?? []])
  const wanted = { name, uid, groups, extra: Object.fromEntries(extra) }
  if (name !== '') return wanted
  if (uid === '' && groups.length === 0 && extra.length === 0) return undefined
  throw badRequest(`requested ${printed(wanted)} without impersonating a user name`)
}

const extraPrefix = 'impersonate-extra-'

export class Impersonation {
  readonly #decide: Decide
  /** Last successful mode by user name. It is tried first, so its error takes precedence. */
  readonly #lastMode = new Map<string, Mode>()

  constructor(decide: Decide) {
    this.#decide = decide
  }

  /** Returns the user to act as. Throws StatusError (403). */
  impersonate(asked: ImpersonationRequest): User {
    const { requestor } = asked
    const last = this.#lastMode.get(requestor.name)
    let refusal: StatusError | undefined
    for (const mode of last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)]) {
      if (!mode.applies(asked)) continue
      const refused = this.#refusalOf(mode, asked)
      refusal ??= refused
      if (refused !== undefined) continue
      this.#remember(requestor.name, mode)
      return impersonatedUser(asked.wanted, mode)
    }
    // The legacy mode always applies, so at least one mode has failed.
    throw refusal ?? forbiddenAccess(requestor, asked.attributes, '')
  }

  #refusalOf(mode: Mode, { requestor, wanted, attributes }: ImpersonationRequest): StatusError | undefined {
    const refusalOf = (right: AccessAttributes): StatusError | undefined => {
      const needed = mode.sharpened(right)
      const { isAllowed, reason } = this.#decide(requestor, needed)
      return isAllowed ? undefined : forbiddenAccess(requestor, needed, reason)
    }
    if (mode.isConstrained) {
      const refused = refusalOf({ ...attributes, verb: `impersonate-on:${mode.name}:${attributes.verb}` })
      if (refused !== undefined) return refused
    }
    for (const right of rightsFor(wanted, mode)) {
      if (right.fault !== undefined) return forbiddenAccess(requestor, right.attributes, right.fault)
      if (right.all !== undefined && refusalOf(right.all) === undefined) continue
      for (const attributes of right.each) {
        const refused = refusalOf(attributes)
        if (refused !== undefined) return refused
      }
    }
    return undefined
  }

  #remember(name: string, mode: Mode): void {
    this.#lastMode.delete(name)
    this.#lastMode.set(name, mode)
    const [oldest] = this.#lastMode.keys()
    if (this.#lastMode.size > maxRemembered && oldest !== undefined) this.#lastMode.delete(oldest)
  }
}

interface Mode {
  readonly name: string
  readonly isConstrained: boolean
  readonly verb: string
  applies(asked: ImpersonationRequest): boolean
  /** Returns the right to check in place of `right`. */
  sharpened(right: AccessAttributes): AccessAttributes
}

const modes: readonly Mode[] = [
  {
    ...constrained('associated-node'),
    applies: ({ wanted, requestor }) => {
      const own = requestor.extra?.[nodeNameKey] ?? []
      const node = isNameAlone(wanted) ? nodeOf(wanted.name) : undefined
      return node !== undefined && accountOf(requestor.name) !== undefined && own.length === 1 && own[0] === node
    },
    // Checks the right to any node, because the node is the requestor's own.
    sharpened: (right) => (right.verb === 'impersonate:associated-node' ? { ...right, name: '*' } : right),
  },
  {
    ...constrained('arbitrary-node'),
    applies: ({ wanted }) => isNameAlone(wanted) && nodeOf(wanted.name) !== undefined,
  },
  {
    ...constrained('serviceaccount'),
    applies: ({ wanted }) => isNameAlone(wanted) && accountOf(wanted.name) !== undefined,
  },
  {
    ...constrained('user-info'),
    applies: ({ wanted: { name } }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  { ...constrained('legacy'), isConstrained: false, verb: 'impersonate', applies: () => true },
]

function constrained(name: string): Omit<Mode, 'applies'> {
  return { name, isConstrained: true, verb: `impersonate:${name}`, sharpened: (right) => right }
}

type NeededRight =
  | {
      /** Wildcard right that implies all of `each`. */
      readonly all?: AccessAttributes | undefined
      readonly each: readonly AccessAttributes[]
      readonly fault?: undefined
    }
  /** Never granted. */
  | { readonly fault: string; readonly attributes: AccessAttributes }

function* rightsFor(wanted: WantedUser, mode: Mode): Generator<NeededRight> {
  const group = mode.isConstrained ? authentication : ''
  const right = (resource: string, of: Partial<AccessAttributes>): AccessAttributes => ({
    ...{ isResourceRequest: true, verb: mode.verb, group: authentication, resource },
    ...{ subresource: '', namespace: '', name: '', path: '' },
    ...of,
  })
  yield { each: [nameRight(wanted.name, mode, (resource, of) => right(resource, { group, ...of }))] }
  if (wanted.uid !== '') yield { each: [right('uids', { name: wanted.uid })] }
  const ofGroup = (name: string) => right('groups', { group, name })
  if (mode.isConstrained && wanted.groups.includes(''))
    yield { fault: 'impersonating the empty string group is not allowed', attributes: ofGroup('') }
  if (mode.isConstrained && wanted.groups.includes('system:masters'))
    yield { fault: 'impersonating the system:masters group is not allowed', attributes: ofGroup('system:masters') }
  const isManyGroups = mode.isConstrained && wanted.groups.length >= many
  yield { all: isManyGroups ? ofGroup('*') : undefined, each: wanted.groups.map(ofGroup) }
  const fault = mode.isConstrained ? extraFault(wanted.extra) : undefined
  if (fault !== undefined) yield { fault, attributes: right('userextras', {}) }
  const each = Object.entries(wanted.extra).flatMap(([subresource, values]) =>
    values.map((name) => right('userextras', { subresource, name })),
  )
  const isManyExtra = mode.isConstrained && Math.max(each.length, Object.keys(wanted.extra).length) >= many
  yield { all: isManyExtra ? right('userextras', { subresource: '*', name: '*' }) : undefined, each }
}

function nameRight(
  name: string,
  { isConstrained }: Mode,
  right: (resource: string, of: Partial<AccessAttributes>) => AccessAttributes,
): AccessAttributes {
  const node = isConstrained ? nodeOf(name) : undefined
  const account = accountOf(name)
  if (node !== undefined) return right('nodes', { name: node })
  return account === undefined ? right('users', { name }) : right('serviceaccounts', account)
}

/** Returns the first error. In upstream, the order of several is random. */
function extraFault(extra: WantedUser['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed'
    const faults = domainPrefixedPathErrors(key, 'extra.key')
    if (faults.length > 0)
      return `impersonating an invalid key in extra is not allowed: ${aggregateText(faults.map(errorText))}`
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuoted(key)}`
    if (values.length === 0) return 'impersonating empty values in extra is not allowed'
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed'
  }
  return undefined
}

function impersonatedUser({ name, uid, groups, extra }: WantedUser, { isConstrained }: Mode): User {
  const account = accountOf(name)
  const isNode = isConstrained && nodeOf(name) !== undefined
  const implied =
    account !== undefined && groups.length === 0
      ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
      : isNode
        ? ['system:nodes']
        : groups
  const last = name === anonymousName ? unauthenticated : authenticated
  const isComplete = implied.includes(last) || implied.includes(unauthenticated)
  return {
    name,
    groups: isComplete ? implied : [...implied, last],
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

function isNameAlone({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0
}

function nodeOf(userName: string): string | undefined {
  const name = userName.startsWith('system:node:') ? userName.slice('system:node:'.length) : undefined
  return name !== undefined && dns1123Subdomain(name).length === 0 ? name : undefined
}

function accountOf(userName: string): { readonly namespace: string; readonly name: string } | undefined {
  const [system, kind, namespace = '', name = '', ...more] = userName.split(':')
  if (system !== 'system' || kind !== 'serviceaccount' || more.length > 0) return undefined
  return dns1123Label(namespace).length + dns1123Subdomain(name).length === 0 ? { namespace, name } : undefined
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** Formats the user like Go's `%#v` of the struct. */
function printed({ name, uid, groups, extra }: WantedUser): string {
  const list = (texts: readonly string[]) => `[]string{${texts.map(goQuoted).join(', ')}}`
  const entries = Object.entries(extra).sort(([left], [right]) => (left < right ? -1 : 1))
  const shownGroups = groups.length === 0 ? '[]string(nil)' : list(groups)
  const shownExtra =
    entries.length === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${entries.map(([key, values]) => `${goQuoted(key)}:${list(values)}`).join(', ')}}`
  return `&user.DefaultInfo{Name:${goQuoted(name)}, UID:${goQuoted(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`
}
