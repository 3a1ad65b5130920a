// Kind NetworkPolicy: ingress and egress rules of the selected pods.
// Sources: k8s.io/kubernetes/pkg/apis/networking/{v1/defaults.go,validation}, pkg/registry/networking/networkpolicy.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { validateChoice, validateOptionalChoice } from './choice-rules.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withField,
  withItems,
  withoutField,
} from './field-walk.ts'
import { cidrWarnings, type IpRange, networkOf, parseCidr, validateCidr } from './ip-rules.ts'
import {
  changedMetadataErrors,
  isSpecChanged,
  type KindRules,
  newMetadataErrors,
  nextGenerationIf,
  usualRules,
  withGeneration,
} from './kind-rules.ts'
import { validateLabelSelector } from './label-selector.ts'
import { validatePortName, validatePortNumber } from './port-rules.ts'

interface PolicyOptions {
  readonly allowsInvalidValues: boolean
  /** Ranges of the stored policy; they stay valid. */
  readonly knownRanges: readonly string[]
}

/** Each direction: the field of its rules, and the field of their peers. */
const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const

export const networkPolicyRules: KindRules = {
  ...usualRules,
  setDefaults: (object) => withEmbedded(object, 'spec', specDefaults),
  isUnlikeStored: (body) => hasEmptyValue(withoutField(mapAt(body, 'spec'), 'policyTypes')),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) => nextGenerationIf(isSpecChanged(object, old), object, old),
  validateCreate: (object) => [
    ...newMetadataErrors(object, dnsSubdomainName),
    ...specErrors(mapAt(object, 'spec'), { allowsInvalidValues: false, knownRanges: [] }),
  ],
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...specErrors(mapAt(object, 'spec'), {
      allowsInvalidValues: validateLabelSelector(structIn(old, 'spec', 'podSelector'), '').length > 0,
      knownRanges: rangesOf(old).map(({ range }) => range),
    }),
  ],
  warningsOnCreate: rangeWarnings,
  warningsOnUpdate: rangeWarnings,
}

/**
 * The generation counts by reflect.DeepEqual, which distinguishes an empty list or map from nil. Defaults fill in empty
 * policyTypes.
 */
function hasEmptyValue(value: Json): boolean {
  if (isJsonList(value)) return value.length === 0 || value.some(hasEmptyValue)
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(
    ([name, field = null]) => (name === 'matchLabels' && isJsonObject(field) && isBare(field)) || hasEmptyValue(field),
  )
}

function isBare(map: JsonObject): boolean {
  return Object.keys(map).length === 0
}

function specDefaults(spec: JsonObject): JsonObject {
  const ported = directions.reduce(
    (changed, [direction]) =>
      withItems(changed, direction, (rule) =>
        withItems(rule, 'ports', (port) => withDefaults(port, { protocol: 'TCP' })),
      ),
    spec,
  )
  if (textsAt(ported, 'policyTypes').length > 0) return ported
  const hasEgress = structsAt(ported, 'egress').length > 0
  return withField(ported, 'policyTypes', hasEgress ? ['Ingress', 'Egress'] : ['Ingress'])
}

function specErrors(spec: JsonObject, options: PolicyOptions): FieldErrors {
  return [
    ...validateLabelSelector(structAt(spec, 'podSelector'), 'spec.podSelector', options),
    ...directions.flatMap(([direction, peers]) =>
      eachItem(structsAt(spec, direction), `spec.${direction}`, (rule, path) => [
        ...eachItem(structsAt(rule, 'ports'), `${path}.ports`, portErrors),
        ...eachItem(structsAt(rule, peers), `${path}.${peers}`, (peer, at) => peerErrors(peer, at, options)),
      ]),
    ),
    ...typesErrors(textsAt(spec, 'policyTypes'), 'spec.policyTypes'),
  ]
}

function typesErrors(types: readonly string[], path: string): FieldErrors {
  const known = ['Ingress', 'Egress']
  if (types.length > known.length) return [invalid(path, types, 'may not specify more than two policyTypes')]
  return eachItem(types, path, (type, at) => validateChoice(type, at, known))
}

function portErrors(port: JsonObject, path: string): FieldErrors {
  const number = valueAt(port, 'port')
  const end = optionalIntegerAt(port, 'endPort')
  const protocol = optionalTextAt(port, 'protocol')
  return [
    ...validateOptionalChoice(protocol, `${path}.protocol`, ['TCP', 'UDP', 'SCTP']),
    ...(typeof number === 'string'
      ? [...noEndErrors(end, path, 'is non-numeric'), ...validatePortName(number, `${path}.port`)]
      : typeof number === 'number'
        ? [...validatePortNumber(number, `${path}.port`), ...endErrors(end, number, `${path}.endPort`)]
        : noEndErrors(end, path, 'is not specified')),
  ]
}

function noEndErrors(end: number | undefined, path: string, why: string): FieldError[] {
  return end === undefined ? [] : [invalid(`${path}.endPort`, end, `may not be specified when \`port\` ${why}`)]
}

function endErrors(end: number | undefined, port: number, path: string): FieldErrors {
  if (end === undefined) return noErrors
  return [
    // The server reports the start of the range.
    ...(end < port ? [invalid(path, port, 'must be greater than or equal to `port`')] : noErrors),
    ...validatePortNumber(end, path),
  ]
}

function peerErrors(peer: JsonObject, path: string, options: PolicyOptions): FieldErrors {
  const selectors = ['podSelector', 'namespaceSelector'].filter((key) => structAt(peer, key) !== undefined)
  const block = structAt(peer, 'ipBlock')
  return [
    ...selectors.flatMap((key) => validateLabelSelector(structAt(peer, key), `${path}.${key}`, options)),
    ...blockErrors(block, `${path}.ipBlock`, options),
    ...(block === undefined && selectors.length === 0 ? [required(path, 'must specify a peer')] : noErrors),
    ...(block !== undefined && selectors.length > 0
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : noErrors),
  ]
}

function blockErrors(block: Struct, path: string, { knownRanges }: PolicyOptions): FieldErrors {
  if (block === undefined) return noErrors
  const cidr = textAt(block, 'cidr')
  if (cidr === '') return [required(`${path}.cidr`)]
  const errors = validateCidr(cidr, `${path}.cidr`, knownRanges)
  const range = parseCidr(cidr)
  if (range === undefined) return errors
  return [
    ...errors,
    ...eachItem(textsAt(block, 'except'), `${path}.except`, (except, at) => {
      const exception = parseCidr(except)
      const isOutside = exception !== undefined && !isStrictlyWithin(exception, range)
      return [
        ...validateCidr(except, at, knownRanges),
        ...(isOutside ? [invalid(at, except, 'must be a strict subset of `cidr`')] : noErrors),
      ]
    }),
  ]
}

function isStrictlyWithin(inner: IpRange, outer: IpRange): boolean {
  if (outer.prefixLength >= inner.prefixLength || inner.ip.family !== outer.ip.family) return false
  const narrowed = networkOf({ ip: inner.ip, prefixLength: outer.prefixLength })
  const network = networkOf(outer)
  return narrowed.bytes.every((byte, index) => byte === network.bytes[index])
}

/** Returns every CIDR range of a policy, with its path. */
function rangesOf(object: JsonObject): readonly { readonly range: string; readonly path: string }[] {
  const spec = structAt(object, 'spec')
  return directions.flatMap(([direction, peers]) =>
    structsAt(spec, direction).flatMap((rule, index) =>
      structsAt(rule, peers).flatMap((peer, at) => {
        const block = structAt(peer, 'ipBlock')
        const path = `spec.${direction}[${index}].${peers}[${at}].ipBlock`
        if (block === undefined) return []
        const excepts = textsAt(block, 'except').map((range, place) => ({ range, path: `${path}.except[${place}]` }))
        return [{ range: textAt(block, 'cidr'), path: `${path}.cidr` }, ...excepts]
      }),
    ),
  )
}

function rangeWarnings(object: JsonObject): readonly string[] {
  return rangesOf(object).flatMap(({ range, path }) => cidrWarnings(range, path))
}
