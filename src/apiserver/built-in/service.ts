// Kind Service. service-allocation.ts allocates its addresses and ports.
// Sources: k8s.io/kubernetes/pkg/registry/core/service/strategy.go, pkg/api/service/warnings.go.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import {
  integerAt,
  mapAt,
  optionalTextAt,
  structAt,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withField,
  withItems,
  withoutField,
  withStruct,
} from './field-walk.ts'
import { cidrWarnings, ipWarnings } from './ip-rules.ts'
import { type KindRules, keepField, statusIsReset, statusSteps, usualRules } from './kind-rules.ts'
import { allocateService, usualRanges } from './service-allocation.ts'
import { serviceDefaults } from './service-defaults.ts'
import {
  hasNodePorts,
  isExternallyAccessible,
  isExternalName,
  isLoadBalancer,
  needsHealthCheck,
  specOf,
} from './service-type.ts'
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from './service-validation.ts'

export const serviceRules: KindRules = {
  ...usualRules,
  setDefaults: serviceDefaults,
  allocate: (service, old, stock) => allocateService(service, old, { ...usualRanges, ...stock }),
  prepareForCreate: (service) => withField(service, 'status', { loadBalancer: {} }),
  validateCreate: validateService,
  warningsOnCreate: serviceWarnings,
  prepareForUpdate: (service, old) => withoutTypeDependents(keepField(service, old, 'status'), old),
  validateUpdate: validateServiceUpdate,
  warningsOnUpdate: serviceWarnings,
  resetFields: statusIsReset,
  status: {
    ...statusSteps(validateServiceStatusUpdate),
    warningsOnUpdate: (service) =>
      structsAt(structAt(mapAt(service, 'status'), 'loadBalancer'), 'ingress').flatMap((ingress, index) =>
        ipWarnings(textAt(ingress, 'ip'), `status.loadBalancer.ingress[${index}]`),
      ),
  },
  createsOnUpdate: true,
  selectableFields: (service) => ({
    'spec.clusterIP': textAt(specOf(service), 'clusterIP'),
    'spec.type': textAt(specOf(service), 'type'),
  }),
  returnsDeletedObject: true,
}

/** When the type changes, removes unchanged fields that only the old type needed. */
function withoutTypeDependents(service: JsonObject, old: JsonObject): JsonObject {
  const oldSpec = specOf(old)
  const changed = withStruct(service, 'spec', (spec) => {
    const unaddressed = isExternalName(spec) && !isExternalName(oldSpec) ? withoutAddresses(spec, oldSpec) : spec
    const portless =
      hasNodePorts(oldSpec) && !hasNodePorts(spec) && !hasNewNodePorts(spec, oldSpec)
        ? withItems(unaddressed, 'ports', (port) => withoutField(port, 'nodePort'))
        : unaddressed
    return dependents.reduce(
      (result, [key, isNeeded]) =>
        isNeeded(oldSpec) && !isNeeded(spec) && isKept(spec, oldSpec, key) ? withoutField(result, key) : result,
      portless,
    )
  })
  return isLoadBalancer(specOf(changed))
    ? changed
    : withStruct(changed, 'status', (status) => withField(status, 'loadBalancer', {}))
}

const dependents: readonly (readonly [string, (spec: JsonObject) => boolean])[] = [
  ['healthCheckNodePort', needsHealthCheck],
  ['allocateLoadBalancerNodePorts', isLoadBalancer],
  ['loadBalancerClass', isLoadBalancer],
  ['externalTrafficPolicy', isExternallyAccessible],
]

function withoutAddresses(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const areSame = isKept(spec, oldSpec, 'clusterIP') && isKept(spec, oldSpec, 'clusterIPs')
  const bare = areSame ? withoutField(withoutField(spec, 'clusterIP'), 'clusterIPs') : spec
  return ['ipFamilies', 'ipFamilyPolicy'].reduce(
    (result, key) => (isKept(spec, oldSpec, key) ? withoutField(result, key) : result),
    bare,
  )
}

function isKept(spec: JsonObject, oldSpec: JsonObject, key: string): boolean {
  return deepEqual(valueAt(spec, key) ?? null, valueAt(oldSpec, key) ?? null)
}

function hasNewNodePorts(spec: JsonObject, oldSpec: JsonObject): boolean {
  const before = structsAt(oldSpec, 'ports').map((port) => integerAt(port, 'nodePort'))
  return structsAt(spec, 'ports').some((port) => {
    const nodePort = integerAt(port, 'nodePort')
    return nodePort !== 0 && !before.includes(nodePort)
  })
}

function serviceWarnings(service: JsonObject): readonly string[] {
  const spec = specOf(service)
  const annotations = mapAt(mapAt(service, 'metadata'), 'annotations')
  const hints = 'service.kubernetes.io/topology-aware-hints'
  const externalIps = textsAt(spec, 'externalIPs')
  const clusterIp = textAt(spec, 'clusterIP')
  const isHeadless = clusterIp === 'None' && textAt(spec, 'type') === 'ClusterIP'
  const balancerIp = textAt(spec, 'loadBalancerIP')
  const says = (isTrue: boolean, text: string): readonly string[] => (isTrue ? [text] : [])
  return [
    ...says(
      Object.hasOwn(annotations, hints),
      `annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ),
    ...(clusterIp === '' || clusterIp === 'None'
      ? []
      : textsAt(spec, 'clusterIPs').flatMap((ip, index) => ipWarnings(ip, `spec.clusterIPs[${index}]`))),
    ...says(isHeadless && balancerIp !== '', 'spec.loadBalancerIP is ignored for headless services'),
    ...says(isHeadless && externalIps.length > 0, 'spec.externalIPs is ignored for headless services'),
    ...says(
      isHeadless && textAt(spec, 'sessionAffinity') !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
    ...externalIps.flatMap((ip, index) => ipWarnings(ip, `spec.externalIPs[${index}]`)),
    ...says(
      externalIps.length > 0 && !isHeadless && !isExternalName(spec),
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...ipWarnings(balancerIp, 'spec.loadBalancerIP'),
    ...textsAt(spec, 'loadBalancerSourceRanges').flatMap((range, index) =>
      cidrWarnings(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
    ...says(
      isExternalName(spec) && externalIps.length > 0,
      'spec.externalIPs is ignored when spec.type is "ExternalName"',
    ),
    ...says(
      !isExternalName(spec) && textAt(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...says(
      optionalTextAt(spec, 'trafficDistribution') === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ]
}
