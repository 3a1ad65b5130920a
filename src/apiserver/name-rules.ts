// Syntax rules of names, labels, annotation keys and config keys. Each returns upstream's error texts, or nothing.
// Invariant: every expression is anchored and takes time linear in the text.
// Sources: k8s.io/apimachinery/pkg/util/validation/validation.go, pkg/api/validate/content,
// pkg/api/validation/generic.go.

/** Returns the errors of a name. With `isPrefix` a suffix follows, so the name may end with a dash. */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[]

const none: readonly string[] = []

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain1123 = `${label1123}(\\.${label1123})*`
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'

const label1123Pattern = whole(label1123)
const subdomain1123Pattern = whole(subdomain1123)
const label1035Pattern = whole(label1035)
const labelKeyPattern = whole(labelKey)
const labelValuePattern = whole(`(${labelKey})?`)
const configKeyPattern = whole('[-._a-zA-Z0-9]+')

const label1123Fault = regexFault(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label1123,
  ['my-name', '123-abc'],
)
const subdomain1123Fault = regexFault(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain1123,
  ['example.com'],
)
const label1035Fault = regexFault(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  ['my-name', 'abc-123'],
)
const labelKeyFault = regexFault(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKey,
  ['MyName', 'my.name', '123-abc'],
)
const labelValueFault = regexFault(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${labelKey})?`,
  ['MyValue', 'my_value', '12345'],
)
const configKeyFault = regexFault(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  ['key.name', 'KEY_NAME', 'key-name'],
)

/** `example.com`: names of most kinds. */
export const dnsSubdomainName: NameRule = (name, isPrefix) => dns1123Subdomain(isPrefix ? masked(name) : name)

/** `my-name`: names of namespaces and of kinds that become host names. */
export const dnsLabelName: NameRule = (name, isPrefix) => dns1123Label(isPrefix ? masked(name) : name)

/** `my-name`, starting with a letter: names of services. */
export const dns1035LabelName: NameRule = (name, isPrefix) => dns1035Label(isPrefix ? masked(name) : name)

/** Any single segment of a URL path: names of roles and bindings. */
export const pathSegmentName: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`]
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}

export function dns1123Label(value: string): readonly string[] {
  const tooLong = lengthFault(value, 63, 'characters')
  if (label1123Pattern.test(value)) return tooLong
  return [...tooLong, subdomain1123Pattern.test(value) ? 'must not contain dots' : label1123Fault]
}

export function dns1123Subdomain(value: string): readonly string[] {
  return matching(value, subdomain1123Pattern, subdomain1123Fault, lengthFault(value, 253, 'characters'))
}

export function dns1035Label(value: string): readonly string[] {
  return matching(value, label1035Pattern, label1035Fault, lengthFault(value, 63, 'characters'))
}

/**
 * Returns the errors of a qualified name with optional DNS prefix: keys of labels and annotations, finalizers,
 * condition types.
 */
export function labelKeyFaults(value: string): readonly string[] {
  const parts = value.split('/')
  if (parts.length > 2)
    return [
      `a valid label key ${labelKeyFault} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? prefixFaults(parts[0] ?? '') : none
  if (name !== '' && labelKeyPattern.test(name) && name.length <= 63) return prefix
  const length = name === '' ? ['must be non-empty'] : lengthFault(name, 63, 'bytes')
  const content = labelKeyPattern.test(name) ? none : [labelKeyFault]
  return [...prefix, ...[...length, ...content].map((fault) => `name part ${fault}`)]
}

export function labelValueFaults(value: string): readonly string[] {
  return matching(value, labelValuePattern, labelValueFault, lengthFault(value, 63, 'bytes'))
}

/** Returns the errors of a key of a ConfigMap or Secret. */
export function configKeyFaults(value: string): readonly string[] {
  const faults = matching(value, configKeyPattern, configKeyFault, lengthFault(value, 253, 'characters'))
  if (value === '.' || value === '..') return [...faults, `must not be '${value}'`]
  return value.startsWith('..') ? [...faults, "must not start with '..'"] : faults
}

/** Returns the length of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

function prefixFaults(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const faults = matching(prefix, subdomain1123Pattern, subdomain1123Fault, lengthFault(prefix, 253, 'bytes'))
  return faults.map((fault) => `prefix part ${fault}`)
}

function matching(value: string, pattern: RegExp, fault: string, before: readonly string[]): readonly string[] {
  return pattern.test(value) ? before : [...before, fault]
}

function lengthFault(value: string, max: number, unit: 'characters' | 'bytes'): readonly string[] {
  // The limit counts bytes, even if the text says characters.
  const isWithin = value.length * 3 <= max || byteLength(value) <= max
  return isWithin ? none : [`must be no more than ${max} ${unit}`]
}

/** Replaces the trailing dash as if the suffix followed. Like the real server, it replaces two characters. */
function masked(name: string): string {
  const isMaskable = name.length > 1 && name.endsWith('-') && name.charCodeAt(name.length - 2) < 0x80
  return isMaskable ? `${name.slice(0, -2)}a` : name
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

/** Returns the error text for a value that a pattern does not match. */
export function regexFault(fault: string, pattern: string, examples: readonly string[]): string {
  if (examples.length === 0) return `${fault} (regex used for validation is '${pattern}')`
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${fault} (e.g. ${shown}regex used for validation is '${pattern}')`
}
