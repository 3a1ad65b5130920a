// Validation of a container's probes and lifecycle hooks. Source:
// k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { forbidden, invalid, notSupported, required } from '../field-error.ts'
import { invalids, nonNegative } from '../object-meta.ts'
import {
  type FieldErrors,
  integerAt,
  noErrors,
  optionalIntegerAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
} from './field-walk.ts'
import { validatePort, validatePortNumber } from './port-rules.ts'

const headerName = /^[-A-Za-z0-9]+$/
const headerNameFault =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
const schemes = ['HTTP', 'HTTPS']
const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']
const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const
const hookHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const

/** The pod's termination grace period in seconds; absent if it is invalid itself. */
export type GracePeriod = number | undefined

/** Validates the liveness, readiness and startup probes, in this order. */
export function validateProbes(container: JsonObject, gracePeriod: GracePeriod, field: string): FieldErrors {
  return [
    ...probeErrors(structAt(container, 'livenessProbe'), gracePeriod, `${field}.livenessProbe`, oneSuccess),
    ...probeErrors(structAt(container, 'readinessProbe'), gracePeriod, `${field}.readinessProbe`, noGracePeriod),
    ...probeErrors(structAt(container, 'startupProbe'), gracePeriod, `${field}.startupProbe`, oneSuccess),
  ]
}

export function validateLifecycle(lifecycle: Struct, gracePeriod: GracePeriod, field: string): FieldErrors {
  return ['postStart', 'preStop'].flatMap((hook) => {
    const handler = structAt(lifecycle, hook)
    return handler === undefined ? noErrors : handlerErrors(handler, hookHandlers, gracePeriod, `${field}.${hook}`)
  })
}

type ProbeRule = (probe: JsonObject, field: string) => FieldErrors

function oneSuccess(probe: JsonObject, field: string): FieldErrors {
  const threshold = integerAt(probe, 'successThreshold')
  return threshold === 1 ? noErrors : [invalid(`${field}.successThreshold`, threshold, 'must be 1')]
}

function noGracePeriod(probe: JsonObject, field: string): FieldErrors {
  const seconds = optionalIntegerAt(probe, 'terminationGracePeriodSeconds')
  if (seconds === undefined) return noErrors
  return [invalid(`${field}.terminationGracePeriodSeconds`, seconds, 'must not be set for readinessProbes')]
}

function probeErrors(probe: Struct, gracePeriod: GracePeriod, field: string, particular: ProbeRule): FieldErrors {
  if (probe === undefined) return noErrors
  const seconds = optionalIntegerAt(probe, 'terminationGracePeriodSeconds')
  return [
    ...handlerErrors(probe, probeHandlers, gracePeriod, field),
    ...counts.flatMap((count) => nonNegative(integerAt(probe, count), `${field}.${count}`)),
    ...(seconds !== undefined && seconds <= 0
      ? [invalid(`${field}.terminationGracePeriodSeconds`, seconds, 'must be greater than 0')]
      : []),
    ...particular(probe, field),
  ]
}

/** Requires exactly one handler: validates the first one and rejects each further one. */
function handlerErrors(
  struct: JsonObject,
  handlers: readonly (keyof typeof actionErrors)[],
  gracePeriod: GracePeriod,
  field: string,
): FieldErrors {
  const present = handlers.filter((handler) => structAt(struct, handler) !== undefined)
  if (present.length === 0) return [required(field, 'must specify a handler type')]
  return present.flatMap((handler, index) =>
    index === 0
      ? actionErrors[handler](structAt(struct, handler), `${field}.${handler}`, gracePeriod)
      : [forbidden(`${field}.${handler}`, 'may not specify more than 1 handler type')],
  )
}

const actionErrors = {
  exec: (action: Struct, field: string) =>
    textsAt(action, 'command').length === 0 ? [required(`${field}.command`)] : noErrors,
  httpGet: httpGetErrors,
  tcpSocket: (action: Struct, field: string) => validatePort(valueAt(action, 'port'), `${field}.port`),
  grpc: (action: Struct, field: string) => validatePortNumber(integerAt(action, 'port'), `${field}.port`),
  sleep: sleepErrors,
} satisfies Record<string, (action: Struct, field: string, gracePeriod: GracePeriod) => FieldErrors>

function httpGetErrors(action: Struct, field: string): FieldErrors {
  const scheme = textAt(action, 'scheme')
  return [
    ...(textAt(action, 'path') === '' ? [required(`${field}.path`)] : []),
    ...validatePort(valueAt(action, 'port'), `${field}.port`),
    ...(schemes.includes(scheme) ? [] : [notSupported(`${field}.scheme`, scheme, schemes)]),
    ...structsAt(action, 'httpHeaders').flatMap((header) => {
      const name = textAt(header, 'name')
      return invalids(`${field}.httpHeaders`, name, headerName.test(name) ? [] : [headerNameFault])
    }),
  ]
}

function sleepErrors(action: Struct, field: string, gracePeriod: GracePeriod): FieldErrors {
  const seconds = integerAt(action, 'seconds')
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return noErrors
  return [invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)]
}
