// Validation of a pod's status update: terminated containers stay terminated, and addresses are valid.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate).
import type { JsonObject } from '../../base/json.ts'
import { forbidden, invalid } from '../field-error.ts'
import { dnsSubdomainName, labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { notServed } from '../status-error.ts'
import { validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { parseIp, validateIp } from './ip-rules.ts'
import { annotationsErrors, mirrorAnnotationErrors } from './pod-template-validation.ts'

const ownConditions = new Set(['PodScheduled', 'Ready', 'Initialized'])
/** Status fields that only resources other than cpu and memory use. */
const unserved = ['resourceClaimStatuses', 'extendedResourceClaimStatus', 'nodeAllocatableResourceClaimStatuses']
const statusLists = { containerStatuses: 'containers', initContainerStatuses: 'initContainers' } as const

export function validatePodStatusUpdate(pod: JsonObject, old: JsonObject): FieldErrors {
  const [status, oldStatus] = [mapAt(pod, 'status'), mapAt(old, 'status')]
  refuseUnserved(status)
  return [
    ...validateCoreMetadataUpdate(mapAt(pod, 'metadata'), mapAt(old, 'metadata')),
    ...mirrorAnnotationErrors(pod, old),
    ...annotationsErrors(mapAt(pod, 'metadata'), mapAt(pod, 'spec'), 'metadata.annotations'),
    ...conditionsErrors(status),
    ...nominationErrors(status, old),
    ...(integerAt(status, 'observedGeneration') < 0
      ? [
          invalid(
            'status.observedGeneration',
            integerAt(status, 'observedGeneration'),
            'must be a non-negative integer',
          ),
        ]
      : []),
    ...(textAt(status, 'qosClass') === textAt(oldStatus, 'qosClass')
      ? []
      : [invalid('status.qosClass', textAt(status, 'qosClass'), 'field is immutable')]),
    ...transitionErrors(status, oldStatus, mapAt(old, 'spec')),
    ...addressesErrors(status, oldStatus, 'podIPs'),
    ...hostAddressErrors(status),
    ...addressesErrors(status, oldStatus, 'hostIPs'),
  ]
}

function refuseUnserved(status: JsonObject): void {
  for (const key of unserved) {
    const value = valueAt(status, key)
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) throw notServed(`The field status.${key}`)
  }
  for (const list of [...Object.keys(statusLists), 'ephemeralContainerStatuses'])
    for (const container of structsAt(status, list)) {
      if (valueAt(container, 'user') !== undefined) throw notServed(`The field status.${list}[].user`)
      if (structsAt(container, 'allocatedResourcesStatus').length > 0)
        throw notServed(`The field status.${list}[].allocatedResourcesStatus`)
    }
}

function conditionsErrors(status: JsonObject): FieldErrors {
  return eachItem(structsAt(status, 'conditions'), 'status.conditions', (condition, path) => {
    const type = textAt(condition, 'type')
    const generation = integerAt(condition, 'observedGeneration')
    return [
      ...(generation < 0 ? [invalid(`${path}.observedGeneration`, generation, 'must be a non-negative integer')] : []),
      ...(ownConditions.has(type) ? [] : invalids(`${path}.Type`, type, labelKeyFaults(type))),
    ]
  })
}

function nominationErrors(status: JsonObject, old: JsonObject): FieldErrors {
  const name = textAt(status, 'nominatedNodeName')
  if (name === '' || name === textAt(structAt(old, 'status'), 'nominatedNodeName')) return noErrors
  return [
    ...invalids('status.nominatedNodeName', name, dnsSubdomainName(name, false)),
    ...(textAt(structAt(old, 'spec'), 'nodeName') === ''
      ? []
      : [forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node')]),
  ]
}

function transitionErrors(status: JsonObject, oldStatus: JsonObject, spec: JsonObject): FieldErrors {
  const canAllRestart = Object.values(statusLists).some((list) =>
    structsAt(spec, list).some((container) =>
      structsAt(container, 'restartPolicyRules').some((rule) => textAt(rule, 'action') === 'RestartAllContainers'),
    ),
  )
  const errorsOf = (list: string, mayRestart: (name: string, exitCode: number) => boolean): FieldErrors =>
    revivals(status, oldStatus, list).flatMap(({ index, name, exitCode }) =>
      mayRestart(name, exitCode)
        ? []
        : [forbidden(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state')],
    )
  return [
    ...Object.entries(statusLists).flatMap(([list, containers]) =>
      errorsOf(list, (name, exitCode) => {
        const container = structsAt(spec, containers).find((candidate) => textAt(candidate, 'name') === name)
        return canAllRestart || (container !== undefined && restarts(container, spec, exitCode))
      }),
    ),
    ...errorsOf('ephemeralContainerStatuses', () => false),
  ]
}

interface Revival {
  readonly index: number
  readonly name: string
  readonly exitCode: number
}

/** Returns the containers that were terminated and no longer are. */
function revivals(status: JsonObject, oldStatus: JsonObject, list: string): readonly Revival[] {
  return structsAt(oldStatus, list).flatMap((before, index) => {
    const ended = structIn(before, 'state', 'terminated')
    const name = textAt(before, 'name')
    const now = structsAt(status, list).filter(
      (candidate) => textAt(candidate, 'name') === name && structIn(candidate, 'state', 'terminated') === undefined,
    )
    return ended === undefined || now.length === 0 ? [] : [{ index, name, exitCode: integerAt(ended, 'exitCode') }]
  })
}

function restarts(container: JsonObject, spec: JsonObject, exitCode: number): boolean {
  const own = optionalTextAt(container, 'restartPolicy')
  if (own !== undefined && structsAt(container, 'restartPolicyRules').some((rule) => isFor(rule, exitCode))) return true
  const policy = own ?? textAt(spec, 'restartPolicy')
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never'
}

function isFor(rule: JsonObject, exitCode: number): boolean {
  const codes = structAt(rule, 'exitCodes')
  const values = valueAt(codes, 'values')
  const isListed = Array.isArray(values) && values.includes(exitCode)
  const operator = textAt(codes, 'operator')
  return operator === 'In' ? isListed : operator === 'NotIn' && !isListed
}

/** Validates that a list has at most one address of each family; stored values stay valid. */
function addressesErrors(status: Struct, oldStatus: Struct, key: string): FieldErrors {
  const field = `status.${key}`
  const ips = structsAt(status, key).map((item) => textAt(item, 'ip'))
  const before = structsAt(oldStatus, key).map((item) => textAt(item, 'ip'))
  const parsed = ips.map(parseIp)
  const families = new Set(parsed.map((ip) => ip?.family))
  const broken = parsed.indexOf(undefined)
  const isPair = families.size === 2 && ips.length === 2
  return [
    ...eachItem(ips, field, (ip, path) => validateIp(ip, path, before)),
    ...(ips.length > 1 && broken >= 0 ? [pairError(field, `invalid IP[${broken}]: ${ips[broken]}`)] : []),
    ...(ips.length > 1 && (broken >= 0 || !isPair)
      ? [
          invalid(
            field,
            ips.map((IP) => ({ IP })),
            'may specify no more than one IP for each IP family',
          ),
        ]
      : []),
  ]
}

function pairError(field: string, why: string): FieldErrors[number] {
  return {
    type: 'InternalError',
    field,
    detail: `failed to check for dual stack with error:${why}`,
  }
}

function hostAddressErrors(status: JsonObject): FieldErrors {
  const ips = structsAt(status, 'hostIPs')
  const first = textAt(ips[0], 'ip')
  if (ips.length === 0 || first === textAt(status, 'hostIP')) return noErrors
  return [invalid('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]
}
