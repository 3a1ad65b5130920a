// Endpoints of a pod: binding to a node, and eviction within its PodDisruptionBudget.
// Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/{storage,eviction}.go.
import type { JsonObject } from '../base/json.ts'
import { bindingSteps } from './built-in/binding-steps.ts'
import { decideEviction } from './built-in/eviction.ts'
import { mapAt, structAt, structsAt, textAt, valueAt } from './built-in/field-walk.ts'
import { deleteOptionsIn } from './delete-options.ts'
import type { Endpoint, EndpointRequest } from './endpoint.ts'
import { type ApiAnswer, jsonAnswer } from './exchange.ts'
import { aggregateText, errorText, notSupported, required } from './field-error.ts'
import { isTerminating, metadataOf, metadataText, withMetadata } from './metadata.ts'
import { bodyTypeOf, parseObject } from './request-body.ts'
import { badRequest, conflict, notFound, plainError } from './status-error.ts'
import type { SystemClient, Target } from './system-client.ts'
import { writeOptionsOf } from './write-options.ts'

export interface PodEndpointsOptions {
  readonly client: SystemClient
  /** Returns the current time, RFC 3339 as in metadata. */
  readonly timestamp: () => string
}

export function podEndpoints(options: PodEndpointsOptions): ReadonlyMap<string, Endpoint> {
  const endpoint = (handle: (asked: EndpointRequest, options: PodEndpointsOptions) => ApiAnswer): Endpoint => ({
    verbs: ['create'],
    handle: (asked) => handle(asked, options),
  })
  return new Map([
    ['/v1/pods/binding', endpoint(bind)],
    ['/v1/pods/eviction', endpoint(evict)],
  ])
}

function bind(asked: EndpointRequest, { client, timestamp }: PodEndpointsOptions): ApiAnswer {
  const { request, info } = asked
  const { isDryRun } = writeOptionsOf(request.query, 'CreateOptions')
  const binding = bodyOf(asked, 'Binding')
  const target = structAt(binding, 'target')
  const [kind, node] = [textAt(target, 'kind'), textAt(target, 'name')]
  const faults = [
    ...(['', 'Node'].includes(kind) ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(node === '' ? [required('target.name')] : []),
  ]
  if (faults.length > 0) throw plainError(aggregateText(faults.map(errorText)))
  const pod = podOf(client, info)
  const why = refusalOf(pod.object, binding)
  if (why !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, info.name, why)
  const bound = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: timestamp() }
  if (!isDryRun)
    client.updateUnrecorded(pod.target, 'binding', bindingSteps, (live) => boundTo(live, { binding, node, bound }))
  return success()
}

function refusalOf(pod: JsonObject, binding: JsonObject): string | undefined {
  const name = metadataText(pod, 'name')
  const [uid, version] = [metadataText(binding, 'uid'), metadataText(binding, 'resourceVersion')]
  const [podUid, podVersion] = [metadataText(pod, 'uid'), metadataText(pod, 'resourceVersion')]
  if (uid !== '' && uid !== podUid)
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${podUid}`
  if (version !== '' && version !== podVersion)
    return `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${podVersion}`
  const spec = structAt(pod, 'spec')
  const node = textAt(spec, 'nodeName')
  if (isTerminating(pod)) return `pod ${name} is being deleted, cannot be assigned to a host`
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`
  return structsAt(spec, 'schedulingGates').length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined
}

function boundTo(
  pod: JsonObject,
  { binding, node, bound }: { readonly binding: JsonObject; readonly node: string; readonly bound: JsonObject },
): JsonObject {
  const { nominatedNodeName: _nominated, ...status } = mapAt(pod, 'status')
  const others = structsAt(status, 'conditions').filter((condition) => textAt(condition, 'type') !== 'PodScheduled')
  const merged = ['annotations', 'labels'].flatMap((key) => {
    const added = mapAt(metadataOf(binding), key)
    return Object.keys(added).length === 0 ? [] : [[key, { ...mapAt(metadataOf(pod), key), ...added }] as const]
  })
  return {
    ...withMetadata(pod, Object.fromEntries(merged)),
    spec: { ...mapAt(pod, 'spec'), nodeName: node },
    status: { ...status, conditions: [...others, bound] },
  }
}

function evict(asked: EndpointRequest, { client, timestamp }: PodEndpointsOptions): ApiAnswer {
  const { request, info } = asked
  const eviction = bodyOf(asked, 'Eviction')
  const asksDryRun = writeOptionsOf(request.query, 'CreateOptions').isDryRun
  const options = deleteOptionsIn(structAt(eviction, 'deleteOptions') ?? {})
  const isDryRun = options.isDryRun || asksDryRun
  const { target, object: pod } = podOf(client, info)
  const resource = client.resource('policy/v1', 'PodDisruptionBudget')
  const budgets = resource === undefined ? [] : client.list(resource, info.namespace)
  const decision = decideEviction(pod, budgets, timestamp())
  if (decision.kind === 'refuse') throw decision.error
  const atVersion = decision.kind === 'delete' && decision.atResourceVersion
  if (decision.kind === 'deleteWithin' && resource !== undefined && !isDryRun) {
    const name = metadataText(decision.budget, 'name')
    client.updateStatus({ resource, namespace: info.namespace, name }, () => decision.budget)
  }
  const preconditions = atVersion
    ? { ...options.preconditions, resourceVersion: metadataText(pod, 'resourceVersion') }
    : options.preconditions
  client.delete(target, { ...options, preconditions, isDryRun })
  return success()
}

function podOf(client: SystemClient, info: EndpointRequest['info']): { target: Target; object: JsonObject } {
  const resource = client.resource('v1', 'Pod')
  const { namespace, name } = info
  const object = resource && client.get({ resource, namespace, name })
  if (resource === undefined || object === undefined) throw notFound({ group: '', resource: 'pods' }, name)
  return { target: { resource, namespace, name }, object }
}

/** Returns the body. Throws StatusError (400) if its name is not the pod's. */
function bodyOf({ request, info }: EndpointRequest, kind: string): JsonObject {
  const type = bodyTypeOf(request.header('content-type'))
  const { value } = parseObject(request.body, type, "couldn't get version/kind; json parse error")
  const name = valueAt(metadataOf(value), 'name') ?? ''
  if (name !== info.name) throw badRequest(`name in URL does not match name in ${kind} object`)
  return value
}

function success(): ApiAnswer {
  return jsonAnswer(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}
