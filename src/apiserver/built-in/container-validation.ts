// Validation of a pod's containers: common rules, and the restrictions of init containers.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateContainers and its neighbours).
import type { JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../field-error.ts'
import { dns1123Label } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { notServed } from '../status-error.ts'
import { pullPolicies, validateChoice, validateRequiredChoice } from './choice-rules.ts'
import { validateEnv, validateEnvFrom } from './env-validation.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  noErrors,
  optionalTextAt,
  structAt,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { validateMounts } from './mount-validation.ts'
import { portNameFaults, validatePortNumber, validateProtocol } from './port-rules.ts'
import { type GracePeriod, validateLifecycle, validateProbes } from './probe-validation.ts'
import { validateResourceRequirements } from './resource-requirements.ts'
import { validateSecurityContext } from './security-context.ts'
import type { KnownVolumes } from './volume-validation.ts'

const messagePolicies = ['File', 'FallbackToLogsOnError']
const restartPolicies = ['Always', 'Never', 'OnFailure']
const forInitContainersOnly = 'may not be set for init containers without restartPolicy=Always'

/** Facts about the pod for the validation of its containers. */
export interface ContainerContext {
  readonly volumes: KnownVolumes
  readonly gracePeriod: GracePeriod
  readonly restartPolicy: string
  readonly hasHostUsers: boolean
}

export function validateContainers(
  containers: readonly JsonObject[],
  field: string,
  context: ContainerContext,
): FieldErrors {
  if (containers.length === 0) return [required(field)]
  const names = new Set<string>()
  return [
    ...eachItem(containers, field, (container, path) => [
      ...commonErrors(container, path, context),
      ...takenNameErrors(textAt(container, 'name'), names, path),
      ...validateLifecycle(structAt(container, 'lifecycle'), context.gracePeriod, `${path}.lifecycle`),
      ...validateProbes(container, context.gracePeriod, path),
      ...restartErrors(container, path),
    ]),
    ...hostPortErrors(containers, field),
  ]
}

/** Validates init containers. One with restartPolicy Always is a sidecar and may have probes. */
export function validateInitContainers(spec: JsonObject, field: string, context: ContainerContext): FieldErrors {
  const regular = new Set(structsAt(spec, 'containers').map((container) => textAt(container, 'name')))
  const names = new Set(regular)
  return eachItem(structsAt(spec, 'initContainers'), field, (container, path) => {
    const isSidecar = textAt(container, 'restartPolicy') === 'Always'
    return [
      ...commonErrors(container, path, context),
      ...restartErrors(container, path),
      // Containers without a name only get the error that a name is required.
      ...(textAt(container, 'name') === '' && !regular.has('')
        ? []
        : takenNameErrors(textAt(container, 'name'), names, path)),
      // Init containers run one after the other; the server reports each as the first of the list.
      ...hostPortErrors([container], field),
      ...(isSidecar
        ? [
            ...validateLifecycle(structAt(container, 'lifecycle'), context.gracePeriod, `${path}.lifecycle`),
            ...validateProbes(container, context.gracePeriod, path),
          ]
        : initOnlyErrors(container, path)),
    ]
  })
}

function commonErrors(container: JsonObject, field: string, context: ContainerContext): FieldErrors {
  refuseUnserved(container, field)
  const name = textAt(container, 'name')
  const at = (key: string): string => `${field}.${key}`
  return [
    ...(name === '' ? [required(at('name'))] : invalids(at('name'), name, dns1123Label(name))),
    ...(textAt(container, 'image') === '' ? [required(at('image'))] : []),
    ...validateRequiredChoice(
      textAt(container, 'terminationMessagePolicy'),
      at('terminationMessagePolicy'),
      messagePolicies,
    ),
    ...portsErrors(structsAt(container, 'ports'), at('ports')),
    ...validateEnv(structsAt(container, 'env'), at('env')),
    ...validateEnvFrom(structsAt(container, 'envFrom'), at('envFrom')),
    ...validateMounts(container, context.volumes, field),
    ...validateRequiredChoice(textAt(container, 'imagePullPolicy'), at('imagePullPolicy'), pullPolicies),
    ...validateResourceRequirements(structAt(container, 'resources'), at('resources')),
    ...resizeErrors(structsAt(container, 'resizePolicy'), context.restartPolicy, at('resizePolicy')),
    ...validateSecurityContext(structAt(container, 'securityContext'), context.hasHostUsers, at('securityContext')),
  ]
}

function refuseUnserved(container: JsonObject, field: string): void {
  if (structsAt(structAt(container, 'resources'), 'claims').length > 0)
    throw notServed(`The field ${field}.resources.claims`)
}

function portsErrors(ports: readonly JsonObject[], field: string): FieldErrors {
  const names = new Set<string>()
  return eachItem(ports, field, (port, path) => {
    const number = integerAt(port, 'containerPort')
    const hostPort = integerAt(port, 'hostPort')
    return [
      ...portNameErrors(textAt(port, 'name'), names, path),
      ...(number === 0 ? [required(`${path}.containerPort`)] : validatePortNumber(number, `${path}.containerPort`)),
      ...(hostPort === 0 ? [] : validatePortNumber(hostPort, `${path}.hostPort`)),
      ...validateProtocol(textAt(port, 'protocol'), `${path}.protocol`),
    ]
  })
}

function portNameErrors(name: string, taken: Set<string>, path: string): FieldErrors {
  if (name === '') return noErrors
  const faults = portNameFaults(name)
  if (faults.length > 0) return invalids(`${path}.name`, name, faults)
  if (taken.has(name)) return [duplicate(`${path}.name`, name)]
  taken.add(name)
  return noErrors
}

function takenNameErrors(name: string, taken: Set<string>, path: string): readonly FieldError[] {
  if (taken.has(name)) return [duplicate(`${path}.name`, name)]
  taken.add(name)
  return noErrors
}

function hostPortErrors(containers: readonly JsonObject[], field: string): FieldErrors {
  const taken = new Set<string>()
  return containers.flatMap((container, index) =>
    eachItem(structsAt(container, 'ports'), `${field}[${index}].ports`, (port, path) => {
      const hostPort = integerAt(port, 'hostPort')
      if (hostPort === 0) return noErrors
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${hostPort}`
      if (taken.has(key)) return [duplicate(`${path}.hostPort`, key)]
      taken.add(key)
      return noErrors
    }),
  )
}

function resizeErrors(policies: readonly JsonObject[], podRestartPolicy: string, field: string): FieldErrors {
  const names = new Set<string>()
  return policies.flatMap((policy, index) => {
    const name = textAt(policy, 'resourceName')
    const restart = textAt(policy, 'restartPolicy')
    const errors = [
      ...(names.has(name) ? [duplicate(`${field}[${index}]`, name)] : []),
      ...validateRequiredChoice(name, field, ['cpu', 'memory']),
      ...validateRequiredChoice(restart, field, ['NotRequired', 'RestartContainer']),
      ...(podRestartPolicy === 'Never' && restart !== 'NotRequired'
        ? [invalid(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
        : []),
    ]
    names.add(name)
    return errors
  })
}

/** Validates a container's own restart policy and its rules by exit code. */
function restartErrors(container: JsonObject, field: string): FieldErrors {
  const policy = optionalTextAt(container, 'restartPolicy')
  const rules = structsAt(container, 'restartPolicyRules')
  if (policy === undefined && rules.length === 0) return noErrors
  const policyErrors =
    policy === undefined
      ? [required(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used')]
      : validateChoice(policy, `${field}.restartPolicy`, restartPolicies)
  return [
    ...policyErrors,
    ...(rules.length > 20 ? [tooMany(`${field}.restartPolicyRules`, rules.length, 20)] : []),
    ...eachItem(rules, `${field}.restartPolicyRules`, restartRuleErrors),
  ]
}

function restartRuleErrors(rule: JsonObject, field: string): FieldErrors {
  const codes = structAt(rule, 'exitCodes')
  const values = valueAt(codes, 'values')
  const count = Array.isArray(values) ? values.length : 0
  return [
    ...validateChoice(textAt(rule, 'action'), `${field}.action`, ['Restart', 'RestartAllContainers']),
    ...(codes === undefined
      ? [required(`${field}.exitCodes`, 'must be specified')]
      : validateChoice(textAt(codes, 'operator'), `${field}.exitCodes.operator`, ['In', 'NotIn'])),
    ...(count > 255 ? [tooMany(`${field}.exitCodes.values`, count, 255)] : []),
  ]
}

function initOnlyErrors(container: JsonObject, field: string): FieldErrors {
  const unwanted = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'].filter(
    (key) => structAt(container, key) !== undefined,
  )
  return [
    ...unwanted.map((key) => forbidden(`${field}.${key}`, forInitContainersOnly)),
    ...eachItem(structsAt(container, 'resizePolicy'), `${field}.resizePolicy`, (policy, path) => {
      const restart = textAt(policy, 'restartPolicy')
      return restart === 'RestartContainer'
        ? [
            invalid(
              `${path}.restartPolicy`,
              restart,
              "must not be set to 'RestartContainer' for non-sidecar initContainers",
            ),
          ]
        : noErrors
    }),
  ]
}
