// Kind Node. Sources: k8s.io/kubernetes/pkg/registry/core/node/strategy.go, pkg/apis/core/{v1,validation}.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { duplicate, forbidden, invalid } from '../field-error.ts'
import { dnsSubdomainName, labelValueFaults } from '../name-rules.ts'
import { notServed } from '../status-error.ts'
import { validateRequiredChoice } from './choice-rules.ts'
import { validateCoreMetadata, validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  noErrors,
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withField,
  withoutField,
  withStruct,
} from './field-walk.ts'
import { cidrWarnings, parseCidr, validateCidr } from './ip-rules.ts'
import { type KindRules, keepField, statusIsReset, usualRules } from './kind-rules.ts'
import { validateLabelKey } from './label-rules.ts'
import { resourceListDefaults } from './resource-defaults.ts'
import { validateAmount } from './resource-requirements.ts'
import { taintEffects } from './scheduling-validation.ts'

const unservedAnnotations = ['scheduler.alpha.kubernetes.io/taints', 'scheduler.alpha.kubernetes.io/preferAvoidPods']
const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/
const cidrIsFixed = 'node updates may not change podCIDR except from "" to valid'

export const nodeRules: KindRules = {
  ...usualRules,
  setDefaults: nodeDefaults,
  prepareForCreate: (node) =>
    withStruct(
      withStruct(node, 'spec', (spec) => withoutField(spec, 'configSource')),
      'status',
      (status) => withoutField(status, 'config'),
    ),
  validateCreate: validateNode,
  warningsOnCreate: nodeWarnings,
  prepareForUpdate: (node, old) =>
    withStruct(keepField(node, old, 'status'), 'spec', (spec) => withoutField(spec, 'configSource')),
  validateUpdate: (node, old) => [...validateNode(node), ...updateErrors(node, old)],
  warningsOnUpdate: nodeWarnings,
  resetFields: statusIsReset,
  status: {
    prepareForUpdate: (node, old) =>
      withStruct(keepField(node, old, 'spec'), 'status', (status) => withoutField(status, 'config')),
    validateUpdate: updateErrors,
    warningsOnUpdate: () => [],
    resetFields: [['spec']],
  },
  selectableFields: (node) => ({
    'spec.unschedulable': String(valueAt(mapAt(node, 'spec'), 'unschedulable') === true),
  }),
}

function nodeDefaults(node: JsonObject): JsonObject {
  const addressed = withStruct(node, 'spec', cidrForm)
  return withStruct(addressed, 'status', (status) => {
    const capacity = valueAt(status, 'capacity')
    const filled =
      valueAt(status, 'allocatable') === undefined && capacity !== undefined
        ? withField(status, 'allocatable', capacity)
        : status
    return resourceListDefaults(resourceListDefaults(filled, 'capacity'), 'allocatable')
  })
}

/** `podCIDR` is the first of `podCIDRs`; if they differ, `podCIDR` wins. */
function cidrForm(spec: JsonObject): JsonObject {
  const cidr = textAt(spec, 'podCIDR')
  const [first = ''] = textsAt(spec, 'podCIDRs')
  if (cidr === '') return first === '' ? spec : withField(spec, 'podCIDR', first)
  return first === cidr ? spec : withField(spec, 'podCIDRs', [cidr])
}

function validateNode(node: JsonObject): FieldErrors {
  const [metadata, spec] = [mapAt(node, 'metadata'), mapAt(node, 'spec')]
  return [
    ...validateCoreMetadata(metadata, { isNamespaced: false, validateName: dnsSubdomainName }),
    ...annotationsErrors(metadata),
    // The server reports taints under `metadata`.
    ...taintsErrors(structsAt(spec, 'taints'), 'metadata.taints'),
    ...amountsErrors(node),
    ...swapErrors(node),
    ...featuresErrors(node),
    ...cidrsErrors(textsAt(spec, 'podCIDRs')),
  ]
}

function updateErrors(node: JsonObject, old: JsonObject): FieldErrors {
  const [metadata, spec, oldSpec] = [mapAt(node, 'metadata'), mapAt(node, 'spec'), mapAt(old, 'spec')]
  const [cidrs, before] = [textsAt(spec, 'podCIDRs'), textsAt(oldSpec, 'podCIDRs')]
  const moved = before.filter((cidr, index) => cidrs.length === before.length && cidr !== cidrs[index])
  const isResized = before.length > 0 && before.length !== cidrs.length
  const provider = textAt(oldSpec, 'providerID')
  return [
    ...validateCoreMetadataUpdate(metadata, mapAt(old, 'metadata')),
    ...annotationsErrors(metadata),
    ...amountsErrors(node),
    ...featuresErrors(node),
    ...addressesErrors(structsAt(structAt(node, 'status'), 'addresses')),
    ...(isResized
      ? [forbidden('spec.podCIDRs', cidrIsFixed)]
      : moved.map(() => forbidden('spec.podCIDRs', cidrIsFixed))),
    ...(provider !== '' && provider !== textAt(spec, 'providerID')
      ? [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
    ...taintsErrors(structsAt(spec, 'taints'), 'metadata.taints'),
    ...(textAt(spec, 'externalID') === textAt(oldSpec, 'externalID')
      ? []
      : [forbidden('spec.externalID', 'may not be updated')]),
  ]
}

function annotationsErrors(metadata: JsonObject): FieldErrors {
  const annotations = mapAt(metadata, 'annotations')
  const unserved = unservedAnnotations.find((key) => textAt(annotations, key) !== '')
  if (unserved !== undefined) throw notServed(`The annotation ${unserved} of a node`)
  return noErrors
}

function taintsErrors(taints: readonly JsonObject[], field: string): FieldErrors {
  const known = new Set<string>()
  return eachItem(taints, field, (taint, path) => {
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')]
    const faults = labelValueFaults(value)
    const pair = `${effect}/${key}`
    const isTaken = known.has(pair)
    known.add(pair)
    const shown = { Key: key, Value: value, Effect: effect, TimeAdded: valueAt(taint, 'timeAdded') ?? null }
    return [
      ...validateLabelKey(key, `${path}.key`),
      ...(faults.length === 0 ? [] : [invalid(`${path}.value`, value, faults.join(';'))]),
      ...validateRequiredChoice(effect, `${path}.effect`, taintEffects),
      ...(isTaken ? [{ ...duplicate(path, shown), detail: 'taints must be unique by key and effect pair' }] : []),
    ]
  })
}

function amountsErrors(node: JsonObject): FieldErrors {
  const status = structAt(node, 'status')
  return ['capacity', 'allocatable'].flatMap((list) =>
    Object.entries(mapAt(status, list)).flatMap(([name, amount]) =>
      validateAmount(name, amount, `status.${list}.${name}`),
    ),
  )
}

function swapErrors(node: JsonObject): FieldErrors {
  const capacity = valueAt(structIn(node, 'status', 'nodeInfo', 'swap'), 'capacity')
  const isWrong = (typeof capacity === 'number' || typeof capacity === 'bigint') && capacity <= 0
  return isWrong ? [invalid('metadata.nodeSwapStatus.capacity', capacity, 'must be greater than zero')] : noErrors
}

function featuresErrors(node: JsonObject): FieldErrors {
  const features = textsAt(structAt(node, 'status'), 'declaredFeatures')
  return eachItem(features, 'status.declaredFeatures', (feature, path, index) => {
    const before = features[index - 1]
    const name = `invalid feature name ${JSON.stringify(feature)}`
    const format =
      "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
    return [
      ...(feature.length > 253
        ? [invalid(path, feature, `${name}: must be no more than 253 characters`)]
        : featureName.test(feature)
          ? []
          : [invalid(path, feature, `${name}: ${format}`)]),
      ...(before === undefined || before < feature
        ? []
        : before === feature
          ? [duplicate(path, feature)]
          : [invalid(path, feature, 'list must be sorted alphabetically')]),
    ]
  })
}

function cidrsErrors(cidrs: readonly string[]): FieldErrors {
  const field = 'spec.podCIDRs'
  const parsed = cidrs.map(parseCidr)
  const broken = parsed.indexOf(undefined)
  const families = new Set(parsed.map((range) => range?.ip.family))
  const isPair = broken < 0 && families.size === 2 && cidrs.length === 2
  return [
    ...eachItem(cidrs, field, (cidr, path) => validateCidr(cidr, path)),
    ...(cidrs.length > 1 && broken >= 0
      ? [
          {
            type: 'InternalError' as const,
            field,
            detail: `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${cidrs[broken]})`,
          },
        ]
      : []),
    ...(cidrs.length > 1 && !isPair
      ? [invalid(field, cidrs, 'may specify no more than one CIDR for each IP family')]
      : []),
  ]
}

function addressesErrors(addresses: readonly JsonObject[]): FieldErrors {
  const shown = addresses.map((address) => ({ Type: textAt(address, 'type'), Address: textAt(address, 'address') }))
  return eachItem(shown, 'status.addresses', (address, path, index) =>
    shown.findIndex((other) => deepEqual(other, address)) < index ? [duplicate(path, address)] : noErrors,
  )
}

function nodeWarnings(node: JsonObject): readonly string[] {
  const spec = mapAt(node, 'spec')
  return [
    ...(valueAt(spec, 'configSource') === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(textAt(spec, 'externalID') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...textsAt(spec, 'podCIDRs').flatMap((cidr, index) => cidrWarnings(cidr, `spec.podCIDRs[${index}]`)),
  ]
}
