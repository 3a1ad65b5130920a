// Validation of a pod spec, in the server's order. Fields that this server does not support are rejected by name.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodSpec).
import type { JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, forbidden, invalid, notFound, required, tooLong } from '../field-error.ts'
import { byteLength, dns1123Label, dns1123Subdomain, dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids, validateLabels } from '../object-meta.ts'
import { notServed } from '../status-error.ts'
import { validateOptionalChoice, validateRequiredChoice } from './choice-rules.ts'
import { type ContainerContext, validateContainers, validateInitContainers } from './container-validation.ts'
import { validateDnsConfig, validateHostAliases } from './dns-validation.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  isTrueAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  structAt,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import type { PodContext } from './pod-context.ts'
import { validateOverhead } from './resource-requirements.ts'
import { validateAffinity, validateTolerations, validateTopologySpread } from './scheduling-validation.ts'
import { type Located, validateHostUsers, validatePodSecurityContext } from './security-context.ts'
import { validateVolumes } from './volume-validation.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const preemptionPolicies = ['PreemptLowerPriority', 'Never']
const maxDeadlineSeconds = 2 ** 31 - 1
const unserved = ['resourceClaims', 'ephemeralContainers', 'resources']

export function validatePodSpec(spec: JsonObject, field: string, context: PodContext): FieldErrors {
  refuseUnserved(spec, field)
  const at = (key: string): string => `${field}.${key}`
  const volumes = validateVolumes(spec, at('volumes'), context)
  const containers: ContainerContext = {
    volumes: volumes.known,
    gracePeriod: optionalIntegerAt(spec, 'terminationGracePeriodSeconds'),
    restartPolicy: textAt(spec, 'restartPolicy'),
    hasHostUsers: valueAt(spec, 'hostUsers') !== false,
  }
  return [
    ...(containers.gracePeriod === undefined ? [required(at('terminationGracePeriodSeconds'))] : []),
    ...volumes.errors,
    ...validateContainers(structsAt(spec, 'containers'), at('containers'), containers),
    ...validateInitContainers(spec, at('initContainers'), containers),
    ...hostNetworkErrors(spec, at('containers'), context),
    ...validateRequiredChoice(textAt(spec, 'restartPolicy'), at('restartPolicy'), restartPolicies),
    ...validateRequiredChoice(textAt(spec, 'dnsPolicy'), at('dnsPolicy'), dnsPolicies),
    ...validateLabels(valueAt(spec, 'nodeSelector'), at('nodeSelector')),
    ...validatePodSecurityContext(spec, context.oldSpec, at('securityContext')),
    ...validateAffinity(structAt(spec, 'affinity'), at('affinity')),
    ...validateDnsConfig(structAt(spec, 'dnsConfig'), textAt(spec, 'dnsPolicy'), at('dnsConfig')),
    ...gatesErrors(spec, field),
    ...validateTopologySpread(structsAt(spec, 'topologySpreadConstraints'), at('topologySpreadConstraints')),
    ...validateHostUsers(spec, locatedContainers(spec, field), field),
    ...hostnameOverrideErrors(spec, at('hostnameOverride')),
    ...namesErrors(spec, field),
    ...deadlineErrors(spec, at('activeDeadlineSeconds')),
    ...labelErrors(spec, field),
    ...validateTolerations(structsAt(spec, 'tolerations'), at('tolerations')),
    ...validateHostAliases(structsAt(spec, 'hostAliases'), at('hostAliases')),
    ...validateOptionalPreemption(spec, at('preemptionPolicy')),
    ...validateOverhead(spec, at('overhead')),
    ...osErrors(spec, at('os.name')),
    ...fileKeyErrors(spec, field),
  ]
}

/** Returns init containers, then the others, in the server's order. */
export function locatedContainers(spec: JsonObject, field: string): readonly Located[] {
  return ['initContainers', 'containers'].flatMap((list) =>
    structsAt(spec, list).map((container, index) => ({ container, path: `${field}.${list}[${index}]` })),
  )
}

function refuseUnserved(spec: JsonObject, field: string): void {
  for (const key of unserved) {
    const value = valueAt(spec, key)
    const isEmpty = Array.isArray(value) && value.length === 0
    if (value !== undefined && !isEmpty) throw notServed(`The field ${field}.${key}`)
  }
  if (textAt(structAt(spec, 'os'), 'name') === 'windows') throw notServed(`A pod for Windows (${field}.os.name)`)
}

/**
 * On the host network, a container port equals its host port. Templates get the host port when their pods are created.
 */
function hostNetworkErrors(spec: JsonObject, field: string, { isPod }: PodContext): FieldErrors {
  if (!isTrueAt(spec, 'hostNetwork')) return noErrors
  return eachItem(structsAt(spec, 'containers'), field, (container, path) =>
    eachItem(structsAt(container, 'ports'), `${path}.ports`, (port, portPath) => {
      const hostPort = integerAt(port, 'hostPort')
      const isWrong = (isPod || hostPort !== 0) && hostPort !== integerAt(port, 'containerPort')
      const fault = 'must match `containerPort` when `hostNetwork` is true'
      return isWrong ? [invalid(`${portPath}.hostPort`, hostPort, fault)] : noErrors
    }),
  )
}

function gatesErrors(spec: JsonObject, field: string): FieldErrors {
  const names = new Set<string>()
  return [
    ...eachItem(structsAt(spec, 'readinessGates'), `${field}.readinessGates`, (gate, path) => {
      const type = textAt(gate, 'conditionType')
      return invalids(`${path}.conditionType`, type, labelKeyFaults(type))
    }),
    ...eachItem(structsAt(spec, 'schedulingGates'), `${field}.schedulingGates`, (gate, path) => {
      const name = textAt(gate, 'name')
      const isTaken = names.has(name)
      names.add(name)
      return [...invalids(path, name, labelKeyFaults(name)), ...(isTaken ? [duplicate(path, name)] : [])]
    }),
  ]
}

function hostnameOverrideErrors(spec: JsonObject, field: string): FieldErrors {
  const hostname = optionalTextAt(spec, 'hostnameOverride')
  if (hostname === undefined) return noErrors
  return [
    ...(isTrueAt(spec, 'setHostnameAsFQDN')
      ? [forbidden(field, 'may not be specified when setHostnameAsFQDN is true')]
      : []),
    ...(isTrueAt(spec, 'hostNetwork') ? [forbidden(field, 'may not be specified when hostNetwork is true')] : []),
    ...(byteLength(hostname) > 64 ? [tooLong(field, 64)] : []),
    ...invalids(field, hostname, dns1123Subdomain(hostname)),
  ]
}

/** Validates names of other objects. */
function namesErrors(spec: JsonObject, field: string): FieldErrors {
  const runtimeClass = optionalTextAt(spec, 'runtimeClassName')
  return [
    ...['serviceAccountName', 'nodeName', 'priorityClassName'].flatMap((key) => {
      const name = textAt(spec, key)
      return name === '' ? noErrors : invalids(`${field}.${key}`, name, dnsSubdomainName(name, false))
    }),
    ...(runtimeClass === undefined
      ? []
      : invalids(`${field}.runtimeClassName`, runtimeClass, dnsSubdomainName(runtimeClass, false))),
  ]
}

function labelErrors(spec: JsonObject, field: string): FieldErrors {
  return ['hostname', 'subdomain'].flatMap((key) => {
    const name = textAt(spec, key)
    return name === '' ? noErrors : invalids(`${field}.${key}`, name, dns1123Label(name))
  })
}

function deadlineErrors(spec: JsonObject, field: string): readonly FieldError[] {
  const seconds = valueAt(spec, 'activeDeadlineSeconds')
  if (typeof seconds !== 'number' && typeof seconds !== 'bigint') return noErrors
  if (seconds >= 1 && seconds <= maxDeadlineSeconds) return noErrors
  return [invalid(field, seconds, `must be between 1 and ${maxDeadlineSeconds}, inclusive`)]
}

function validateOptionalPreemption(spec: JsonObject, field: string): FieldErrors {
  const policy = optionalTextAt(spec, 'preemptionPolicy')
  return policy === '' ? [required(field)] : validateOptionalChoice(policy, field, preemptionPolicies)
}

function osErrors(spec: JsonObject, field: string): FieldErrors {
  const os = structAt(spec, 'os')
  if (os === undefined) return noErrors
  const name = textAt(os, 'name')
  if (name === '') return [required(field)]
  // The server reports the parent struct here.
  return validateRequiredChoice(name, field.slice(0, -'.name'.length), ['linux', 'windows'])
}

/** A variable from a file requires a volume that the pod itself fills. */
function fileKeyErrors(spec: JsonObject, field: string): FieldErrors {
  const volumes = new Map(structsAt(spec, 'volumes').map((volume) => [textAt(volume, 'name'), volume]))
  return locatedContainers(spec, field).flatMap(({ container, path }) =>
    eachItem(structsAt(container, 'env'), `${path}.env`, (variable, variablePath) => {
      const reference = structAt(structAt(variable, 'valueFrom'), 'fileKeyRef')
      if (reference === undefined) return noErrors
      const name = textAt(reference, 'volumeName')
      const volume = volumes.get(name)
      const namePath = `${variablePath}.valueFrom.fileKeyRef.volumeName`
      if (volume === undefined) return [notFound(namePath, name)]
      return structAt(volume, 'emptyDir') === undefined
        ? [invalid(namePath, name, 'referenced volume must be of type emptyDir')]
        : noErrors
    }),
  )
}
