// Service account tokens: signed JWTs that identify the service account of a pod.
// Source: k8s.io/kubernetes/pkg/serviceaccount/claims.go.
// They use HMAC instead of RSA, because only this server verifies them.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { parseWireJson, WireJsonError, wireJson } from '../../base/wire-json.ts'
import type { User } from '../user.ts'

export interface TokenClaims {
  readonly namespace: string
  readonly serviceAccount: { readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  /** Seconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Unique id, the claim `jti`. */
  readonly id: string
  /** Pod, Secret or Node whose deletion invalidates the token. */
  readonly boundTo: BoundObject | undefined
  /** Node of the bound pod. */
  readonly node?: Omit<BoundObject, 'kind'>
}

interface BoundObject {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

export const issuer = 'https://kubernetes.default.svc.cluster.local'

const header = encode(wireJson({ alg: 'HS256', typ: 'JWT', kid: 'konverge' }))

export function signToken(claims: TokenClaims, key: string): string {
  const { namespace, serviceAccount, audiences, issuedAt, expiresAt, id, boundTo, node } = claims
  const payload: JsonObject = {
    aud: audiences,
    exp: expiresAt,
    iat: issuedAt,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(boundTo === undefined ? {} : { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } }),
      ...(node === undefined ? {} : { node: { name: node.name, uid: node.uid } }),
      serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
    },
    nbf: issuedAt,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  }
  const signed = `${header}.${encode(wireJson(payload))}`
  return `${signed}.${signatureOf(signed, key)}`
}

/** Returns the claims of an unexpired token with a valid signature; undefined for any other text. */
export function readToken(token: string, key: string, nowSeconds: number): TokenClaims | undefined {
  const [head = '', payload = '', signature = ''] = token.split('.')
  if (head !== header || !isSame(signature, signatureOf(`${head}.${payload}`, key))) return undefined
  const body = bodyOf(payload)
  const own_ = body === undefined ? undefined : own(body, 'kubernetes.io')
  if (body === undefined || !isJsonObject(own_)) return undefined
  const account = own(own_, 'serviceaccount')
  const { exp, iat, aud, jti } = body
  if (!isJsonObject(account) || typeof exp !== 'number' || typeof iat !== 'number' || exp <= nowSeconds)
    return undefined
  return {
    namespace: text(own_['namespace']),
    serviceAccount: { name: text(account['name']), uid: text(account['uid']) },
    audiences: Array.isArray(aud) ? aud.map(text) : [],
    issuedAt: iat,
    expiresAt: exp,
    id: text(jti),
    ...boundOf(own_),
  }
}

/** Returns the user of a token, with facts about its bound objects. */
export function tokenUser({ namespace, serviceAccount, id, boundTo, node }: TokenClaims): User {
  const bound = [
    ...(boundTo === undefined ? [] : [boundTo]),
    ...(node === undefined ? [] : [{ kind: 'node', ...node }]),
  ]
  const facts = bound
    .filter(({ kind }) => kind !== 'secret')
    .flatMap(({ kind, name, uid }): readonly (readonly [string, readonly string[]])[] => [
      [`${kind}-name`, [name]],
      ...(uid === '' ? [] : [[`${kind}-uid`, [uid]] as const]),
    ])
  const extra = [['credential-id', [`JTI=${id}`]] as const, ...facts].map(
    ([key, values]) => [`authentication.kubernetes.io/${key}`, values] as const,
  )
  return { ...serviceAccountUser(namespace, serviceAccount.name, serviceAccount.uid), extra: Object.fromEntries(extra) }
}

/** Returns the user of a service account. */
export function serviceAccountUser(namespace: string, name: string, uid: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }
}

function boundOf(claims: JsonObject): Pick<TokenClaims, 'boundTo' | 'node'> {
  const [pod, secret, node] = ['pod', 'secret', 'node'].map((kind) => {
    const bound = own(claims, kind)
    return isJsonObject(bound) ? { kind, name: text(bound['name']), uid: text(bound['uid']) } : undefined
  })
  if (pod !== undefined && node !== undefined) return { boundTo: pod, node: { name: node.name, uid: node.uid } }
  return { boundTo: pod ?? secret ?? node }
}

function bodyOf(payload: string): JsonObject | undefined {
  try {
    const { value } = parseWireJson(Buffer.from(payload, 'base64url').toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch (thrown) {
    if (thrown instanceof WireJsonError) return undefined
    throw thrown
  }
}

function encode(value: string): string {
  return Buffer.from(value, 'utf8').toString('base64url')
}

function signatureOf(signed: string, key: string): string {
  return createHmac('sha256', key).update(signed).digest('base64url')
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
