// Endpoint serviceaccounts/token: issues a token with audiences, a lifetime, and an optional bound pod, node or Secret.
// Source: k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go.
import { type Clock, timestampOf } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Random } from '../../base/random.ts'
import { optionalIntegerAt, structAt, textAt, textsAt } from '../built-in/field-walk.ts'
import type { Endpoint, EndpointRequest } from '../endpoint.ts'
import { jsonAnswer } from '../exchange.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { metadataText } from '../metadata.ts'
import type { View } from '../object-log.ts'
import { bodyTypeOf, parseObject } from '../request-body.ts'
import { badRequest, conflict, invalidObject, notFound } from '../status-error.ts'
import { issuer, signToken, type TokenClaims } from './service-account-token.ts'

export interface TokenEndpointOptions {
  readonly clock: Clock
  readonly random: Random
  readonly view: View
  readonly tokenKey: string
}

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
const usualSeconds = 3_600
const shortestSeconds = 600

export function tokenEndpoint(options: TokenEndpointOptions): readonly [string, Endpoint] {
  return ['/v1/serviceaccounts/token', { verbs: ['create'], handle: (asked) => answer(asked, options) }]
}

function answer({ request, info }: EndpointRequest, { clock, random, view, tokenKey }: TokenEndpointOptions) {
  const { namespace, name } = info
  const type = bodyTypeOf(request.header('content-type'))
  const { value: body } = parseObject(request.body, type, "couldn't get version/kind; json parse error")
  checkNames(body, { namespace, name })
  const account = found(view, 'serviceaccounts', { namespace, name })
  const uid = metadataText(account, 'uid')
  const askedUid = metadataText(body, 'uid')
  if (askedUid !== '' && askedUid !== uid)
    throw conflict(
      { group: kind.group, resource: kind.kind },
      name,
      `the UID in the token request (${askedUid}) does not match the UID of the service account (${uid})`,
    )
  const spec = structAt(body, 'spec')
  const audiences = textsAt(spec, 'audiences').length === 0 ? [issuer] : textsAt(spec, 'audiences')
  const expirationSeconds = optionalIntegerAt(spec, 'expirationSeconds') ?? usualSeconds
  checkLifetime(expirationSeconds)
  const boundObjectRef = structAt(spec, 'boundObjectRef')
  const issuedAt = Math.floor(clock.now() / 1_000)
  const bound = boundObjectRef
    ? boundObject(boundObjectRef, { view, namespace, account: name })
    : { boundTo: undefined }
  const claims = { namespace, serviceAccount: { name, uid }, audiences, issuedAt, ...bound }
  const token = signToken({ ...claims, expiresAt: issuedAt + expirationSeconds, id: random.uuid() }, tokenKey)
  return jsonAnswer(201, {
    ...{ kind: kind.kind, apiVersion: `${kind.group}/v1` },
    metadata: { name, namespace, uid, creationTimestamp: timestampOf(clock) },
    spec: { audiences, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestampAt(issuedAt + expirationSeconds) },
  })
}

interface Named {
  readonly namespace: string
  readonly name: string
}

function checkNames(body: JsonObject, { namespace, name }: Named): void {
  for (const [key, wanted, of] of [
    ['name', name, 'name'],
    ['namespace', namespace, 'namespace'],
  ] as const) {
    const written = metadataText(body, key)
    if (written === '' || written === wanted) continue
    const fault = invalid(`metadata.${key}`, written, `must match the service account ${of} if specified`)
    throw invalidObject(kind, name, [fault])
  }
}

function checkLifetime(seconds: number): void {
  const at = 'spec.expirationSeconds'
  const faults: readonly FieldError[] = [
    ...(seconds < shortestSeconds ? [invalid(at, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > 2 ** 32 ? [invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ]
  if (faults.length > 0) throw invalidObject(kind, '', faults)
}

const boundShelves: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' }

function boundObject(
  reference: JsonObject,
  { view, namespace, account }: { readonly view: View; readonly namespace: string; readonly account: string },
): Pick<TokenClaims, 'boundTo' | 'node'> {
  const [boundKind, name, apiVersion] = [
    textAt(reference, 'kind'),
    textAt(reference, 'name'),
    textAt(reference, 'apiVersion'),
  ]
  const shelf =
    apiVersion.includes('/') || !Object.hasOwn(boundShelves, boundKind) ? undefined : boundShelves[boundKind]
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  if (shelf === undefined)
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${boundKind}`)
  const object = found(view, shelf, { namespace: shelf === 'nodes' ? '' : namespace, name })
  if (shelf === 'pods' && textAt(structAt(object, 'spec'), 'serviceAccountName') !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    )
  const [uid, askedUid] = [metadataText(object, 'uid'), textAt(reference, 'uid')]
  if (askedUid !== '' && askedUid !== uid)
    throw conflict(
      { group: '', resource: boundKind },
      name,
      `the UID in the bound object reference (${askedUid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  const nodeName = shelf === 'pods' ? textAt(structAt(object, 'spec'), 'nodeName') : ''
  const boundTo = { kind: boundKind.toLowerCase(), name, uid }
  return nodeName === '' ? { boundTo } : { boundTo, node: nodeOf(nodeName, view) }
}

/** Returns the node of a pod; the uid of a missing node is ''. */
function nodeOf(name: string, view: View): NonNullable<TokenClaims['node']> {
  const node = view.get({ shelf: 'nodes', namespace: '', name })
  return { name, uid: node === undefined ? '' : metadataText(node.object, 'uid') }
}

function timestampAt(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

function found(view: View, shelf: string, { namespace, name }: Named): JsonObject {
  const state = view.get({ shelf, namespace, name })
  if (state === undefined) throw notFound({ group: '', resource: shelf }, name)
  return state.object
}
