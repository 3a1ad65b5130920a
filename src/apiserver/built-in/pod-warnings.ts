// Warnings about valid but questionable pods and pod templates: texts of Warning headers.
// Sources: k8s.io/kubernetes/pkg/api/pod/warnings.go, pkg/api/node/util.go.
import type { JsonObject } from '../../base/json.ts'
import { goQuoted } from '../field-error.ts'
import { labelValueFaults } from '../name-rules.ts'
import { integerAt, mapAt, type Struct, structAt, structIn, structsAt, textAt, textsAt, valueAt } from './field-walk.ts'
import { ipWarnings } from './ip-rules.ts'
import { locatedContainers } from './pod-spec-validation.ts'
import { fractionWarnings } from './resource-requirements.ts'
import type { Located } from './security-context.ts'
import { overlapWarnings } from './volume-overlaps.ts'

const deprecatedLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}
const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}
const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
const matchesNothing = 'a null labelSelector results in matching no pod'

/** Returns the warnings for a pod (`path` is '') or a template (`path` is its field, for example `template`). */
export function podWarnings(pod: Struct, path: string): readonly string[] {
  const prefix = path === '' ? '' : `${path}.`
  const spec = structAt(pod, 'spec') ?? {}
  const at = `${prefix}spec`
  const annotations = mapAt(structAt(pod, 'metadata'), 'annotations')
  const containers = locatedContainers(spec, at)
  return [
    ...Object.keys(mapAt(spec, 'nodeSelector')).flatMap((key) => labelWarning(key, `${at}.nodeSelector[${key}]: `)),
    ...nodeAffinityWarnings(spec, `${at}.affinity.nodeAffinity`),
    ...spreadWarnings(spec, `${at}.topologySpreadConstraints`),
    ...Object.entries(deprecatedAnnotations).flatMap(([key, text]) =>
      Object.hasOwn(annotations, key) ? [`${prefix}metadata.annotations[${key}]: ${text}`] : [],
    ),
    ...ephemeralWarnings(spec, `${at}.volumes`),
    ...overlapWarnings(structsAt(spec, 'volumes')),
    ...repetitionWarnings(spec, at),
    ...fractionWarnings(mapAt(spec, 'overhead'), ['memory', 'ephemeral-storage'], `${at}.overhead`),
    ...containers.flatMap(containerWarnings),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...(integerAt(spec, 'terminationGracePeriodSeconds') < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec, at),
    ...textsAt(structAt(spec, 'dnsConfig'), 'nameservers').flatMap((ip, index) =>
      ipWarnings(ip, `${at}.dnsConfig.nameservers[${index}]`),
    ),
    ...structsAt(spec, 'hostAliases').flatMap((alias, index) =>
      ipWarnings(textAt(alias, 'ip'), `${at}.hostAliases[${index}].ip`),
    ),
  ]
}

/** Returns the warnings for a node selector term outside a pod, for example of a PersistentVolume. */
export function nodeSelectorTermWarnings(term: JsonObject, field: string, checksValues: boolean): readonly string[] {
  return structsAt(term, 'matchExpressions').flatMap((expression, index) => {
    const path = `${field}.matchExpressions[${index}]`
    const key = textAt(expression, 'key')
    return [
      ...labelWarning(key, `${path}.key: ${key} is `),
      ...(checksValues
        ? textsAt(expression, 'values').flatMap((value, valueIndex) =>
            labelValueFaults(value).map((fault) => `${path}.values[${valueIndex}]: ${value} is invalid, ${fault}`),
          )
        : []),
    ]
  })
}

export function deprecatedLabelText(key: string): string | undefined {
  return Object.hasOwn(deprecatedLabels, key) ? deprecatedLabels[key] : undefined
}

function labelWarning(key: string, before: string): readonly string[] {
  const text = deprecatedLabelText(key)
  return text === undefined ? [] : [`${before}${text}`]
}

function nodeAffinityWarnings(spec: JsonObject, field: string): readonly string[] {
  const affinity = structIn(spec, 'affinity', 'nodeAffinity')
  return [
    ...structsAt(structAt(affinity, mandatory), 'nodeSelectorTerms').flatMap((term, index) =>
      nodeSelectorTermWarnings(term, `${field}.${mandatory}.nodeSelectorTerms[${index}]`, false),
    ),
    ...structsAt(affinity, preferred).flatMap((term, index) =>
      nodeSelectorTermWarnings(structAt(term, 'preference') ?? {}, `${field}.${preferred}[${index}].preference`, true),
    ),
  ]
}

function spreadWarnings(spec: JsonObject, field: string): readonly string[] {
  return structsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const key = textAt(constraint, 'topologyKey')
    return [
      ...labelWarning(key, `${field}[${index}].topologyKey: ${key} is `),
      ...(structAt(constraint, 'labelSelector') === undefined
        ? [`${field}[${index}].labelSelector: ${matchesNothing}`]
        : []),
    ]
  })
}

function ephemeralWarnings(spec: JsonObject, field: string): readonly string[] {
  return structsAt(spec, 'volumes').flatMap((volume, index) => {
    const resources = structIn(volume, 'ephemeral', 'volumeClaimTemplate', 'spec', 'resources')
    const path = `${field}[${index}].ephemeral.volumeClaimTemplate.spec.resources`
    return storageWarnings(resources, path)
  })
}

/** Warns about fractions of a byte in the request of a claim. */
export function storageWarnings(resources: Struct, field: string): readonly string[] {
  return ['requests', 'limits'].flatMap((list) =>
    fractionWarnings(mapAt(resources, list), ['storage'], `${field}.${list}`),
  )
}

function repetitionWarnings(spec: JsonObject, at: string): readonly string[] {
  const secrets = structsAt(spec, 'imagePullSecrets')
  return [
    ...repeated(structsAt(spec, 'hostAliases'), 'ip', `${at}.hostAliases`),
    ...repeated(secrets, 'name', `${at}.imagePullSecrets`),
    ...secrets.flatMap((secret, index) =>
      textAt(secret, 'name') === '' ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ]
}

function repeated(items: readonly JsonObject[], key: string, field: string): readonly string[] {
  const values = items.map((item) => textAt(item, key))
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [`${field}[${index}].${key}: duplicate ${key} ${goQuoted(value)}`] : [],
  )
}

function containerWarnings({ container, path }: Located): readonly string[] {
  const resources = structAt(container, 'resources')
  return [
    ...['memory', 'ephemeral-storage'].flatMap((name) =>
      ['limits', 'requests'].flatMap((list) =>
        fractionWarnings(mapAt(resources, list), [name], `${path}.resources.${list}`),
      ),
    ),
    ...envWarnings(structsAt(container, 'env'), `${path}.env`),
  ]
}

/** A repeated variable triggers no warning if its value builds on the first one. */
function envWarnings(variables: readonly JsonObject[], field: string): readonly string[] {
  const names = new Set<string>()
  return variables.flatMap((variable, index) => {
    const name = textAt(variable, 'name')
    const isFirst = !names.has(name)
    names.add(name)
    const [value, reference] = [textAt(variable, 'value'), `$(${name})`]
    const isBuilt = value !== reference && value.includes(reference) && valueAt(variable, 'valueFrom') === undefined
    return isFirst || isBuilt
      ? []
      : [`${field}[${index}]: hides previous definition of ${goQuoted(name)}, which may be dropped when using apply`]
  })
}

interface Port {
  readonly field: string
  readonly hostPort: number
  readonly hostIp: string
}

function portWarnings(containers: readonly Located[]): readonly string[] {
  const known = new Map<string, Port[]>()
  return portsOf(containers).flatMap(({ port, field }) => {
    const here: Port = { field, hostPort: integerAt(port, 'hostPort'), hostIp: textAt(port, 'hostIP') }
    const key = `${integerAt(port, 'containerPort')}/${textAt(port, 'protocol')}`
    const others = known.get(key) ?? []
    known.set(key, [...others, here])
    return [
      ...(here.hostIp !== '' && here.hostPort === 0 ? [`${field}: hostIP set without hostPort: ${goPort(port)}`] : []),
      ...others.flatMap((other) => pairWarning(here, other)),
    ]
  })
}

function pairWarning(port: Port, other: Port): readonly string[] {
  const says = (what: string): readonly string[] => [`${port.field}: ${what} port definition with ${other.field}`]
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return says('duplicate')
  if (port.hostPort === 0 || other.hostPort === 0) return says('overlapping')
  const isAmbiguous = (port.hostIp === '') !== (other.hostIp === '')
  return port.hostPort === other.hostPort && isAmbiguous ? says('dangerously ambiguous') : []
}

function portNameWarnings(containers: readonly Located[]): readonly string[] {
  const known = new Map<string, string>()
  return portsOf(containers).flatMap(({ port, field }) => {
    const name = textAt(port, 'name')
    const other = known.get(name)
    if (name === '') return []
    if (other === undefined) {
      known.set(name, field)
      return []
    }
    return [
      `${field}: duplicate port name ${goQuoted(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ]
  })
}

function portsOf(containers: readonly Located[]): readonly { readonly port: JsonObject; readonly field: string }[] {
  return containers.flatMap(({ container, path }) =>
    structsAt(container, 'ports').map((port, index) => ({ port, field: `${path}.ports[${index}]` })),
  )
}

/** Formats a port as Go prints a struct. */
function goPort(port: JsonObject): string {
  const [name, protocol, hostIp] = [textAt(port, 'name'), textAt(port, 'protocol'), textAt(port, 'hostIP')]
  const [hostPort, containerPort] = [integerAt(port, 'hostPort'), integerAt(port, 'containerPort')]
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIp}}`
}

function podAffinityWarnings(spec: JsonObject, at: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = structIn(spec, 'affinity', kind)
    const path = `${at}.affinity.${kind}`
    const unselected = (term: Struct): boolean => structAt(term, 'labelSelector') === undefined
    return [
      ...structsAt(affinity, mandatory).flatMap((term, index) =>
        unselected(term) ? [`${path}.${mandatory}[${index}].labelSelector: ${matchesNothing}`] : [],
      ),
      ...structsAt(affinity, preferred).flatMap((term, index) =>
        unselected(structAt(term, 'podAffinityTerm'))
          ? [`${path}.${preferred}[${index}].podAffinityTerm.labelSelector: ${matchesNothing}`]
          : [],
      ),
    ]
  })
}
