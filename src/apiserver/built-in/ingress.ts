// Kind Ingress: rules that route hosts and paths to backends.
// Sources: k8s.io/kubernetes/pkg/apis/networking/validation/validation.go, pkg/registry/networking/ingress.
import { isJsonList, type JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { dns1035LabelName, dns1123Subdomain, dnsLabelName, dnsSubdomainName, type NameRule } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
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
  textsAt,
  valueAt,
} from './field-walk.ts'
import { typedReferenceErrors } from './ingress-class.ts'
import { ipWarnings, parseIp, validateIp } from './ip-rules.ts'
import {
  asNew,
  changedMetadataErrors,
  type KindRules,
  keepStatus,
  newMetadataErrors,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import { validatePortName, validatePortNumber } from './port-rules.ts'
import { wildcardSubdomain } from './wildcard-host.ts'

const classAnnotation = 'kubernetes.io/ingress.class'
const noHostFault = 'must be a DNS name, not an IP address'

interface IngressOptions {
  /** True if the stored object has such a value from before its validation. */
  readonly allowsInvalidSecretName: boolean
  readonly allowsInvalidWildcardRule: boolean
}

const strict: IngressOptions = { allowsInvalidSecretName: false, allowsInvalidWildcardRule: false }

export const ingressRules: KindRules = {
  ...usualRules,
  prepareForCreate: (object) => asNew(object, { loadBalancer: {} }),
  prepareForUpdate: keepStatus,
  validateCreate: (object) => [...ingressErrors(object, strict), ...classErrors(object)],
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...ingressErrors(object, {
      allowsInvalidSecretName: structsAt(structAt(old, 'spec'), 'tls').some(
        (tls) => secretNameErrors(textAt(tls, 'secretName'), '').length > 0,
      ),
      allowsInvalidWildcardRule: structsAt(structAt(old, 'spec'), 'rules').some(
        (rule) => textAt(rule, 'host').includes('*') && pathsErrors(rule, '', dns1035LabelName).length > 0,
      ),
    }),
  ],
  warningsOnCreate: (object) =>
    valueAt(structIn(object, 'metadata', 'annotations'), classAnnotation) !== undefined &&
    valueAt(structAt(object, 'spec'), 'ingressClassName') === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  resetFields: statusIsReset,
  status: {
    ...statusSteps((object, old) => [...changedMetadataErrors(object, old), ...balancerErrors(object, old)]),
    warningsOnUpdate: (object) =>
      balancersOf(object).flatMap((balancer, index) => {
        const ip = textAt(balancer, 'ip')
        return ip === '' ? [] : ipWarnings(ip, `status.loadBalancer.ingress[${index}]`)
      }),
  },
}

function ingressErrors(object: JsonObject, options: IngressOptions): FieldErrors {
  const spec = mapAt(object, 'spec')
  const className = optionalTextAt(spec, 'ingressClassName')
  return [
    ...newMetadataErrors(object, dnsSubdomainName),
    ...nothingErrors(spec),
    ...(structAt(spec, 'defaultBackend') === undefined
      ? noErrors
      : backendErrors(structAt(spec, 'defaultBackend'), 'spec.defaultBackend', dnsLabelName)),
    ...eachItem(structsAt(spec, 'rules'), 'spec.rules', (rule, path) => ruleErrors(rule, path, options)),
    ...eachItem(structsAt(spec, 'tls'), 'spec.tls', (tls, path) => tlsErrors(tls, path, options)),
    ...(className === undefined
      ? noErrors
      : invalids('spec.ingressClassName', className, dnsSubdomainName(className, false))),
  ]
}

function nothingErrors(spec: JsonObject): FieldError[] {
  const rules = valueAt(spec, 'rules')
  if (structsAt(spec, 'rules').length > 0 || structAt(spec, 'defaultBackend') !== undefined) return []
  return [invalid('spec', isJsonList(rules) ? rules : null, 'either `defaultBackend` or `rules` must be specified')]
}

function classErrors(object: JsonObject): FieldErrors {
  const annotation = optionalTextAt(structIn(object, 'metadata', 'annotations'), classAnnotation)
  const className = optionalTextAt(structAt(object, 'spec'), 'ingressClassName')
  if (annotation === undefined || className === undefined || annotation === className) return noErrors
  const path = `annotations.${classAnnotation}`
  return [invalid(path, annotation, 'must match `ingressClassName` when both are specified')]
}

function tlsErrors(tls: JsonObject, path: string, { allowsInvalidSecretName }: IngressOptions): FieldErrors {
  const secretName = textAt(tls, 'secretName')
  return [
    ...eachItem(textsAt(tls, 'hosts'), `${path}.hosts`, hostErrors),
    ...(allowsInvalidSecretName ? noErrors : secretNameErrors(secretName, `${path}.secretName`)),
  ]
}

function secretNameErrors(name: string, path: string): FieldErrors {
  return name === '' ? noErrors : invalids(path, name, dnsSubdomainName(name, false))
}

function hostErrors(host: string, path: string): FieldErrors {
  return invalids(path, host, host.includes('*') ? wildcardSubdomain(host) : dns1123Subdomain(host))
}

function ruleErrors(rule: JsonObject, path: string, options: IngressOptions): FieldErrors {
  const host = textAt(rule, 'host')
  const at = `${path}.host`
  const isIgnored = host.includes('*') && options.allowsInvalidWildcardRule
  return [
    ...(host !== '' && parseIp(host) !== undefined ? [invalid(at, host, noHostFault)] : noErrors),
    ...(host === '' ? noErrors : hostErrors(host, at)),
    ...(isIgnored ? noErrors : pathsErrors(rule, path, dnsLabelName)),
  ]
}

/** `serviceName` is the name rule: new Ingresses allow any label, older ones no label with a leading digit. */
function pathsErrors(rule: JsonObject, path: string, serviceName: NameRule): FieldErrors {
  const http = structAt(rule, 'http')
  if (http === undefined) return noErrors
  const at = `${path}.http.paths`
  const paths = structsAt(http, 'paths')
  return paths.length === 0
    ? [required(at)]
    : eachItem(paths, at, (item, place) => pathErrors(item, place, serviceName))
}

function pathErrors(item: JsonObject, path: string, serviceName: NameRule): FieldErrors {
  const type = optionalTextAt(item, 'pathType')
  const at = `${path}.path`
  const place = textAt(item, 'path')
  if (type === undefined) return [required(`${path}.pathType`, 'pathType must be specified')]
  return [
    ...placeErrors(type, place, at, `${path}.pathType`),
    ...backendErrors(structAt(item, 'backend'), `${path}.backend`, serviceName),
  ]
}

function placeErrors(type: string, place: string, path: string, typePath: string): FieldError[] {
  const relative = place.startsWith('/') ? [] : [invalid(path, place, 'must be an absolute path')]
  switch (type) {
    case 'Exact':
    case 'Prefix':
      return [
        ...relative,
        ...['//', '/./', '/../', '%2f', '%2F']
          .filter((part) => place.includes(part))
          .map((part) => invalid(path, place, `must not contain '${part}'`)),
        ...['/..', '/.']
          .filter((end) => place.endsWith(end))
          .map((end) => invalid(path, place, `cannot end with '${end}'`)),
      ]
    case 'ImplementationSpecific':
      return place === '' ? [] : relative
    default:
      return [notSupported(typePath, type, ['Exact', 'ImplementationSpecific', 'Prefix'])]
  }
}

function backendErrors(backend: Struct, path: string, serviceName: NameRule): FieldErrors {
  const resource = structAt(backend, 'resource')
  const service = structAt(backend, 'service')
  if (resource !== undefined && service !== undefined)
    return [invalid(path, '', 'cannot set both resource and service backends')]
  if (resource !== undefined) return typedReferenceErrors(resource, `${path}.resource`)
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')]
  const name = textAt(service, 'name')
  const at = `${path}.service`
  return [
    ...(name === '' ? [required(`${at}.name`)] : invalids(`${at}.name`, name, serviceName(name, false))),
    ...servicePortErrors(structAt(service, 'port'), path, `${at}.port`),
  ]
}

function servicePortErrors(port: Struct, path: string, portPath: string): FieldErrors {
  const name = textAt(port, 'name')
  const number = integerAt(port, 'number')
  if (name !== '' && number !== 0) return [invalid(path, '', 'cannot set both port name & port number')]
  if (name !== '') return validatePortName(name, `${portPath}.name`)
  return number === 0
    ? [required(path, 'port name or number is required')]
    : validatePortNumber(number, `${portPath}.number`)
}

function balancersOf(object: JsonObject): readonly JsonObject[] {
  return structsAt(structIn(object, 'status', 'loadBalancer'), 'ingress')
}

function balancerErrors(object: JsonObject, old: JsonObject): FieldErrors {
  const known = balancersOf(old).map((balancer) => textAt(balancer, 'ip'))
  return eachItem(balancersOf(object), 'status.loadBalancer.ingress', (balancer, path) => {
    const [ip, host] = [textAt(balancer, 'ip'), textAt(balancer, 'hostname')]
    const at = `${path}.hostname`
    return [
      ...(ip === '' ? noErrors : validateIp(ip, `${path}.ip`, known)),
      ...(host === '' ? noErrors : invalids(at, host, dns1123Subdomain(host))),
      ...(host !== '' && parseIp(host) !== undefined ? [invalid(at, host, noHostFault)] : noErrors),
    ]
  })
}
