// Rules of the API server for names, labels and annotations. The runtime checks them before it sends an object, so that
// the error can name the construct. Source: apimachinery validation and the kinds' own ValidateXName.
import { derivedNameLimit, isDnsLabel1035 } from './names.ts'

const label1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const qualifiedPart = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

const maxSubdomainLength = 253
const maxLabelLength = 63
/** All annotations of one object together. */
const maxAnnotationsBytes = 256 * 1024

/** Returns the problem with the name of an object of this kind, as the end of a sentence; undefined if it is valid. */
export function nameProblem(groupKind: string, name: string): string | undefined {
  const limit = derivedNameLimit(groupKind)
  if (limit !== undefined && name.length > limit) {
    return `has ${name.length} characters; ${groupKind} names have at most ${limit}, because names derived from them are longer`
  }
  if (groupKind === 'Service') {
    return isDnsLabel1035(name)
      ? undefined
      : 'is no DNS-1035 label: a-z, 0-9 and -, a letter first, at most 63 characters'
  }
  if (groupKind === 'Namespace') {
    const isLabel = name.length <= maxLabelLength && label1123.test(name)
    return isLabel ? undefined : 'is no DNS-1123 label: a-z, 0-9 and -, at most 63 characters'
  }
  if (groupKind.endsWith('.rbac.authorization.k8s.io')) {
    return name === '.' || name === '..' || /[/%]/.test(name) ? 'contains / or %, or is . or ..' : undefined
  }
  const isSubdomain = name.length <= maxSubdomainLength && subdomain.test(name)
  return isSubdomain ? undefined : 'is no DNS-1123 subdomain: a-z, 0-9, - and ., at most 253 characters'
}

/**
 * Returns the problem with the labels, as a sentence without their values, which may come from a Secret; undefined if
 * they are valid.
 */
export function labelsProblem(labels: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(labels)) {
    const wrongKey = keyProblem(key)
    if (wrongKey !== undefined) return `the label key "${key}" ${wrongKey}`
    if (typeof value !== 'string') return `the label "${key}" is a ${typeof value}; write it as a string`
    if (value.length > maxLabelLength)
      return `the value of label "${key}" has ${value.length} characters; at most 63 are allowed`
    if (value !== '' && !qualifiedPart.test(value)) {
      return `the value of label "${key}" must be of A-Z, a-z, 0-9, -, _ and . with a letter or digit at both ends`
    }
  }
  return undefined
}

/** Returns the problem with the annotations, as a sentence; undefined if they are valid. */
export function annotationsProblem(annotations: Readonly<Record<string, unknown>>): string | undefined {
  let sizeBytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    const wrongKey = keyProblem(key.toLowerCase())
    if (wrongKey !== undefined) return `the annotation key "${key}" ${wrongKey}`
    if (typeof value !== 'string') return `the annotation "${key}" is a ${typeof value}; write it as a string`
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  return sizeBytes > maxAnnotationsBytes
    ? `its annotations have ${sizeBytes} bytes; at most ${maxAnnotationsBytes} are allowed`
    : undefined
}

function keyProblem(key: string): string | undefined {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (parts.length > 2) return 'has more than one /'
  if (prefix !== undefined && (prefix.length > maxSubdomainLength || !subdomain.test(prefix))) {
    return 'has a prefix that is no DNS-1123 subdomain'
  }
  if (name.length > maxLabelLength) return 'has more than 63 characters in its name'
  return qualifiedPart.test(name)
    ? undefined
    : 'must be of A-Z, a-z, 0-9, -, _ and . with a letter or digit at both ends'
}
