// Validation of a Service's cluster IPs and IP families, against each other and against the stored ones.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateServiceClusterIPsRelatedFields and its
// neighbours).
import type { Json, JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, invalid, required } from '../field-error.ts'
import { validateChoice, validateOptionalChoice } from './choice-rules.ts'
import { eachItem, type FieldErrors, noErrors, optionalTextAt, textAt, textsAt, valueAt } from './field-walk.ts'
import { parseIp, validateIp } from './ip-rules.ts'
import { isExternalName, isHeadless } from './service-type.ts'

const at = 'spec.clusterIPs'
const familiesAt = 'spec.ipFamilies'
const policyAt = 'spec.ipFamilyPolicy'
const fixed = 'may not change once set'

/** `oldSpec` is absent on creation. */
export function validateAddresses(spec: JsonObject, oldSpec: JsonObject | undefined): FieldErrors {
  if (isExternalName(spec)) return noErrors
  const ips = textsAt(spec, 'clusterIPs')
  const families = textsAt(spec, 'ipFamilies')
  const alone = ips.length > 1 && ips[0] === 'None' ? [invalid(at, ips, "'None' must be the first and only value")] : []
  const broken = eachItem(ips, at, (ip, path, index) =>
    index === 0 && ip === 'None'
      ? noErrors
      : validateIp(ip, path, oldSpec === undefined ? [] : textsAt(oldSpec, 'clusterIPs')),
  )
  const errors = [
    ...singularErrors(textAt(spec, 'clusterIP'), ips),
    ...eachItem(families, familiesAt, (family, path, index) => [
      ...validateChoice(family, path, ['IPv4', 'IPv6']),
      ...(families.indexOf(family) < index ? [duplicate(path, family)] : []),
    ]),
    ...validateOptionalChoice(optionalTextAt(spec, 'ipFamilyPolicy'), policyAt, [
      'PreferDualStack',
      'RequireDualStack',
      'SingleStack',
    ]),
    ...alone,
    ...broken,
    ...(ips.length > 2 ? [invalid(at, ips, 'may only hold up to 2 values')] : []),
  ]
  if (alone.length > 0 || broken.length > 0) return errors
  return [...errors, ...stackErrors(ips), ...(isHeadless(spec) ? [] : familyErrors(ips, families))]
}

/** Validates changes of a Service's addresses. */
export function validateAddressChange(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  if (isExternalName(spec) || isExternalName(oldSpec)) return noErrors
  const [headless, wasHeadless] = [isHeadless(spec), isHeadless(oldSpec)]
  return [
    ...(headless && wasHeadless ? [] : addressChangeErrors(spec, oldSpec)),
    ...(headless || wasHeadless ? [] : familyChangeErrors(spec, oldSpec)),
  ]
}

function singularErrors(ip: string, ips: readonly string[]): readonly FieldError[] {
  if (ip === '') return ips.length === 0 ? [] : [invalid(at, ips, 'must be empty when `clusterIP` is not specified')]
  if (ips.length === 0) return [required(at)]
  return ips[0] === ip ? [] : [invalid(at, ips, 'first value must match `clusterIP`')]
}

function stackErrors(ips: readonly string[]): readonly FieldError[] {
  if (ips.length < 2) return []
  const families = new Set(ips.map(familyOf))
  return families.size === 2 ? [] : [invalid(at, ips, 'may specify no more than one IP for each IP family')]
}

function familyErrors(ips: readonly string[], families: readonly string[]): FieldErrors {
  return eachItem(ips, at, (ip, path, index) => {
    const family = families[index]
    const isMisplaced = (family === 'IPv4' || family === 'IPv6') && familyOf(ip) !== family
    return isMisplaced
      ? [invalid(path, ip, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``)]
      : noErrors
  })
}

export function familyOf(ip: string): 'IPv4' | 'IPv6' {
  return parseIp(ip)?.family === 'IPv6' ? 'IPv6' : 'IPv4'
}

function addressChangeErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const [ips, before] = [textsAt(spec, 'clusterIPs'), textsAt(oldSpec, 'clusterIPs')]
  const shown = listShown(spec, 'clusterIPs')
  if (ips.length === before.length)
    return eachItem(before, at, (ip, path, index) => (ip === ips[index] ? noErrors : [invalid(path, shown, fixed)]))
  const isMoved = before.length > 0 && ips.length > 0 && ips[0] !== before[0]
  const moved = isMoved ? [invalid(`${at}[0]`, shown, fixed)] : []
  if (ips.length > before.length) return moved
  return [
    ...(ips.length === 0 ? [invalid(`${at}[0]`, shown, 'primary clusterIP can not be unset')] : []),
    ...moved,
    ...(ips.length === 1 ? releaseErrors(spec, 'clusterIP') : []),
  ]
}

function familyChangeErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const [families, before] = [textsAt(spec, 'ipFamilies'), textsAt(oldSpec, 'ipFamilies')]
  const first = `${familiesAt}[0]`
  if (families.length === before.length)
    return before.flatMap((family, index) =>
      family === families[index] ? [] : [invalid(first, listShown(spec, 'ipFamilies'), fixed)],
    )
  const isMoved = before.length > 0 && families.length > 0 && families[0] !== before[0]
  // The server reports the addresses here.
  const moved = isMoved ? [invalid(first, listShown(spec, 'clusterIPs'), fixed)] : []
  if (families.length > before.length) return moved
  return [
    ...(textsAt(spec, 'clusterIPs').length === 0
      ? [invalid(first, listShown(spec, 'ipFamilies'), 'primary ipFamily can not be unset')]
      : []),
    ...moved,
    ...(families.length === 1 ? releaseErrors(spec, 'ipFamily') : []),
  ]
}

function releaseErrors(spec: JsonObject, what: string): FieldErrors {
  const policy = optionalTextAt(spec, 'ipFamilyPolicy')
  if (policy === 'SingleStack') return noErrors
  return [invalid(policyAt, policy ?? null, `must be set to 'SingleStack' when releasing the secondary ${what}`)]
}

/** Returns a list as in an error message: null if absent. */
function listShown(spec: JsonObject, key: string): Json {
  return valueAt(spec, key) ?? null
}
