// Defaults of pods and pod templates; a few apply only to real pods.
// Source: k8s.io/kubernetes/pkg/apis/core/v1 (defaults.go, zz_generated.defaults.go).
import type { JsonObject } from '../../base/json.ts'
import {
  isTrueAt,
  structAt,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withItems,
  withStruct,
  withZeroDefaults,
} from './field-walk.ts'
import { podForm, podTemplateForm } from './pod-form.ts'
import { resourceListDefaults, resourcesDefaults } from './resource-defaults.ts'
import { fieldRefDefaults, pullPolicyOf, volumeDefaults } from './volume-defaults.ts'

const specDefaults: JsonObject = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
}
const specPointerDefaults: JsonObject = { terminationGracePeriodSeconds: 30, securityContext: {} }
const probeDefaults: JsonObject = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }
const httpGetDefaults: JsonObject = { path: '/', scheme: 'HTTP' }
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const
const hooks = ['postStart', 'preStop'] as const

/** Returns a whole pod with defaults, including requests that follow from limits. */
export function podDefaults(pod: JsonObject): JsonObject {
  const specified = withEmbedded(pod, 'spec', (spec) => podSpecDefaults(podOnlyDefaults(spec)))
  return podForm(withStruct(specified, 'status', statusDefaults))
}

/** Defaults that pods and templates share. */
function podSpecDefaults(spec: JsonObject): JsonObject {
  const own = withDefaults(withZeroDefaults(spec, specDefaults), specPointerDefaults)
  const filled = withItems(own, 'volumes', volumeDefaults)
  const withContainers = containerLists.reduce((result, list) => withItems(result, list, containerDefaults), filled)
  return withStruct(resourceListDefaults(withContainers, 'overhead'), 'resources', resourcesDefaults)
}

/** Returns the `template` of a workload with defaults; its metadata has none. */
export function podTemplateDefaults(template: JsonObject): JsonObject {
  return podTemplateForm(withEmbedded(template, 'spec', podSpecDefaults))
}

function podOnlyDefaults(spec: JsonObject): JsonObject {
  const linked = withDefaults(spec, { enableServiceLinks: true })
  const requesting = containersChanged(linked, (container) => withStruct(container, 'resources', requestsFromLimits))
  return isTrueAt(spec, 'hostNetwork') ? containersChanged(requesting, withHostPorts) : requesting
}

function containersChanged(spec: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  return withItems(withItems(spec, 'containers', change), 'initContainers', change)
}

function requestsFromLimits(resources: JsonObject): JsonObject {
  const limits = structAt(resources, 'limits')
  if (limits === undefined) return resources
  return withEmbedded(resources, 'requests', (requests) => withDefaults(requests, limits))
}

function withHostPorts(container: JsonObject): JsonObject {
  return withItems(container, 'ports', (port) => {
    const containerPort = valueAt(port, 'containerPort')
    return containerPort === undefined ? port : withZeroDefaults(port, { hostPort: containerPort })
  })
}

function containerDefaults(container: JsonObject): JsonObject {
  const own = withZeroDefaults(container, {
    imagePullPolicy: pullPolicyOf(textAt(container, 'image')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  })
  const listed = withItems(
    withItems(own, 'ports', (port) => withZeroDefaults(port, { protocol: 'TCP' })),
    'env',
    (variable) => withStruct(variable, 'valueFrom', envSourceDefaults),
  )
  const probed = probes.reduce((result, probe) => withStruct(result, probe, probeWithDefaults), listed)
  const hooked = withStruct(probed, 'lifecycle', (lifecycle) =>
    hooks.reduce((result, hook) => withStruct(result, hook, handlerDefaults), lifecycle),
  )
  return withStruct(hooked, 'resources', resourcesDefaults)
}

function envSourceDefaults(source: JsonObject): JsonObject {
  return withStruct(withStruct(source, 'fieldRef', fieldRefDefaults), 'fileKeyRef', (reference) =>
    withDefaults(reference, { optional: false }),
  )
}

function probeWithDefaults(probe: JsonObject): JsonObject {
  return withStruct(handlerDefaults(withZeroDefaults(probe, probeDefaults)), 'grpc', (grpc) =>
    withDefaults(grpc, { service: '' }),
  )
}

function handlerDefaults(handler: JsonObject): JsonObject {
  return withStruct(handler, 'httpGet', (get) => withZeroDefaults(get, httpGetDefaults))
}

function statusDefaults(status: JsonObject): JsonObject {
  const lists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses']
  const withStatuses = lists.reduce((result, list) => withItems(result, list, containerStatusDefaults), status)
  return withStruct(resourceListDefaults(withStatuses, 'allocatedResources'), 'resources', resourcesDefaults)
}

function containerStatusDefaults(status: JsonObject): JsonObject {
  return withStruct(resourceListDefaults(status, 'allocatedResources'), 'resources', resourcesDefaults)
}
