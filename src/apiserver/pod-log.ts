// Endpoint `pods/log`: forwards the answer of the kubelet on the pod's node. Without a node, the log is empty.
// Source: k8s.io/kubernetes/pkg/registry/core/pod/rest/log.go, .../pod/strategy.go (LogLocation),
// .../apis/core/validation (ValidatePodLogOptions), pkg/kubelet/client/kubelet_client.go.
import type { JsonObject } from '../base/json.ts'
import { integerAt, structAt, structIn, structsAt, textAt } from './built-in/field-walk.ts'
import { isSimulatedNode } from './controllers/workloads/simulated-nodes.ts'
import type { Endpoint, EndpointRequest } from './endpoint.ts'
import { type ApiAnswer, type StreamSink, textAnswer } from './exchange.ts'
import { type FieldError, forbidden, goQuoted, invalid } from './field-error.ts'
import { isTrue } from './request-info.ts'
import { parseRfc3339 } from './rfc3339.ts'
import { badRequest, invalidObject, notFound, notServed, plainError, StatusError } from './status-error.ts'
import type { SystemClient } from './system-client.ts'
import { type BackendError, upstreamRefusal } from './upstream-refusal.ts'

/** Client of the nodes' kubelets. */
export interface Kubelets {
  /** Rejects with a StatusError if the kubelet does not answer. */
  get(url: string): Promise<KubeletAnswer>
}

export type KubeletAnswer =
  | ({ readonly kind: 'refused' } & BackendError)
  /** Forwards the body; the returned function ends that early. */
  | { readonly kind: 'stream'; readonly pipeTo: (sink: StreamSink) => () => void }

export interface PodLogOptions {
  readonly client: SystemClient
  /** Absent: the server answers 501. */
  readonly kubelets: Kubelets | undefined
}

const of = { group: '', resource: 'pods/log' }

export function podLogEndpoint(options: PodLogOptions): readonly [string, Endpoint] {
  return ['/v1/pods/log', { verbs: ['get'], handle: (asked) => answer(asked, options) }]
}

function answer({ request, info }: EndpointRequest, options: PodLogOptions): ApiAnswer | Promise<ApiAnswer> {
  const { client, kubelets } = options
  const ask = logAskOf(request.query, info.name)
  const pod = objectOf(client, 'Pod', info.namespace, info.name)
  const container = containerOf(pod, info.name, ask.container)
  const nodeName = textAt(structAt(pod, 'spec'), 'nodeName')
  if (nodeName === '') return { status: 204, headers: {}, warnings: [], body: '' }
  const node = objectOf(client, 'Node', '', nodeName)
  if (isSimulatedNode(node))
    throw new StatusError({
      code: 501,
      reason: 'NotImplemented',
      message: `pod ${goQuoted(info.name)} is on node ${goQuoted(nodeName)}, which is simulated: nothing runs there that could have written a log.`,
    })
  const path = `/containerLogs/${info.namespace}/${info.name}/${container}`
  const url = `https://${kubeletAddress(node)}${path}${ask.query === '' ? '' : `?${ask.query}`}`
  if (kubelets === undefined) throw notServed('The endpoint pods/log')
  return kubelets.get(url).then((answered) => {
    if (answered.kind === 'refused') throw upstreamRefusal(answered, of, info.name)
    return { ...textAnswer(200, '', 'text/plain'), body: undefined, stream: answered.pipeTo }
  })
}

interface LogAsk {
  readonly container: string
  /** Query for the kubelet. */
  readonly query: string
}

/** Returns the options of a log request. Throws StatusError (400, 422). */
function logAskOf(query: URLSearchParams, name: string): LogAsk {
  const sinceSeconds = integerOf(query.get('sinceSeconds'))
  const sinceTime = timeOf(query.get('sinceTime'))
  const tailLines = integerOf(query.get('tailLines'))
  const limitBytes = integerOf(query.get('limitBytes'))
  const faults: readonly FieldError[] = [
    ...(tailLines !== undefined && tailLines < 0n
      ? [invalid('tailLines', tailLines, 'must be greater than or equal to 0')]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1n
      ? [invalid('limitBytes', limitBytes, 'must be greater than 0')]
      : []),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : []),
    ...(sinceSeconds !== undefined && sinceTime === undefined && sinceSeconds < 1n
      ? [invalid('sinceSeconds', sinceSeconds, 'must be greater than 0')]
      : []),
    ...(query.has('stream') ? [forbidden('stream', 'may not be specified')] : []),
  ]
  if (faults.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, name, faults)
  const flags = ['follow', 'previous', 'timestamps'].filter((flag) => isTrue(query.get(flag)))
  const values = Object.entries({ sinceSeconds, sinceTime, tailLines, limitBytes }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  )
  const asked = new URLSearchParams(Object.fromEntries([...flags.map((flag) => [flag, 'true'] as const), ...values]))
  asked.sort()
  return { container: query.get('container') ?? '', query: asked.toString() }
}

/** Parses like Go's strconv.ParseInt with 64 bits. */
function integerOf(text: string | null): bigint | undefined {
  if (text === null) return undefined
  const refused = (why: string) => badRequest(`strconv.ParseInt: parsing ${goQuoted(text)}: ${why}`)
  if (!/^[+-]?[0-9]+$/.test(text)) throw refused('invalid syntax')
  const value = BigInt(text.replace('+', ''))
  if (BigInt.asIntN(64, value) !== value) throw refused('value out of range')
  return value
}

function timeOf(text: string | null): string | undefined {
  if (text === null) return undefined
  if (text === '' || text === 'null') return '0001-01-01T00:00:00Z'
  const parsed = parseRfc3339(text)
  if ('fault' in parsed) throw badRequest(parsed.fault)
  return parsed.time
}

/** Returns the named or the only container. Throws StatusError (400). */
function containerOf(pod: JsonObject, name: string, asked: string): string {
  const spec = structAt(pod, 'spec')
  const namesOf = (list: string) => structsAt(spec, list).map((container) => textAt(container, 'name'))
  const all = ['initContainers', 'containers', 'ephemeralContainers'].flatMap(namesOf)
  if (asked !== '') {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`)
    return asked
  }
  const [only, ...others] = namesOf('containers')
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`)
  if (others.length === 0) return only
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}

const preferredTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']
const usualKubeletPort = 10_250

/** Returns the address, e.g. `10.0.0.1:10250`. Throws StatusError (500) for a node without an address. */
function kubeletAddress(node: JsonObject): string {
  const status = structAt(node, 'status')
  const addresses = structsAt(status, 'addresses')
  const preferred = preferredTypes
    .map((type) => addresses.find((address) => textAt(address, 'type') === type))
    .find((address) => address !== undefined)
  if (preferred === undefined) {
    const known = addresses.map((address) => `{${textAt(address, 'type')} ${textAt(address, 'address')}}`).join(' ')
    throw plainError(`no preferred addresses found; known addresses: [${known}]`)
  }
  const host = textAt(preferred, 'address')
  const port = integerAt(structIn(status, 'daemonEndpoints', 'kubeletEndpoint'), 'Port')
  return `${host.includes(':') ? `[${host}]` : host}:${port > 0 ? port : usualKubeletPort}`
}

/** Returns a pod or node. Even for a missing node, the 404 names a pod, like upstream. */
function objectOf(client: SystemClient, kind: string, namespace: string, name: string): JsonObject {
  const resource = client.resource('v1', kind)
  const object = resource && client.get({ resource, namespace, name })
  if (object === undefined) throw notFound({ group: '', resource: 'pods' }, name)
  return object
}
