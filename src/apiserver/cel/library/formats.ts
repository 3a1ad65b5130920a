// CEL format library: names, labels, dates. Sources: k8s.io/apiserver/pkg/cel/library/format.go, apimachinery's
// validation,
// k8s.io/kube-openapi/pkg/validation/strfmt.
import {
  dns1035Label,
  dns1035LabelName,
  dns1123Label,
  dns1123Subdomain,
  dnsLabelName,
  dnsSubdomainName,
  labelKeyFaults,
  labelValueFaults,
} from '../../name-rules.ts'
import type { FunctionRows, Library } from '../function-table.ts'
import { PlainList } from '../list-value.ts'
import { urlFault } from '../url.ts'
import { Composite, noSuchOverload, Optional, type Value } from '../value.ts'

interface Format {
  readonly name: string
  /** Returns the faults of a text as sentences. */
  faultsOf(text: string): readonly string[]
  /** Estimated cost of one check: the length of a regular expression. */
  readonly patternSize: number
}

export class FormatValue extends Composite {
  readonly typeName = 'kubernetes.NamedFormat'
  readonly format: Format

  constructor(format: Format) {
    super()
    this.format = format
  }

  equals(other: Value): Value {
    return other instanceof FormatValue ? other.format.name === this.format.name : noSuchOverload(other)
  }
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const clock = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year === undefined || Number(month) < 1 || Number(month) > 12 || Number(day) < 1) return false
  const moment = new Date(0)
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  return moment.getUTCDate() === Number(day)
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  const [, hours = '', minutes = '', seconds = ''] = clock.exec(time ?? '') ?? []
  return isDate(date) && hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59'
}

const formats: ReadonlyMap<string, Format> = new Map([
  ['dns1123Label', { name: 'DNS1123Label', faultsOf: dns1123Label, patternSize: 30 }],
  ['dns1123Subdomain', { name: 'DNS1123Subdomain', faultsOf: dns1123Subdomain, patternSize: 60 }],
  ['dns1035Label', { name: 'DNS1035Label', faultsOf: dns1035Label, patternSize: 30 }],
  ['qualifiedName', { name: 'QualifiedName', faultsOf: labelKeyFaults, patternSize: 60 }],
  ['dns1123LabelPrefix', { name: 'DNS1123LabelPrefix', faultsOf: (text) => dnsLabelName(text, true), patternSize: 30 }],
  [
    'dns1123SubdomainPrefix',
    { name: 'DNS1123SubdomainPrefix', faultsOf: (text) => dnsSubdomainName(text, true), patternSize: 60 },
  ],
  [
    'dns1035LabelPrefix',
    { name: 'DNS1035LabelPrefix', faultsOf: (text) => dns1035LabelName(text, true), patternSize: 30 },
  ],
  ['labelValue', { name: 'LabelValue', faultsOf: labelValueFaults, patternSize: 40 }],
  [
    'uri',
    { name: 'URI', faultsOf: (text) => [urlFault(text)].filter((fault) => fault !== undefined), patternSize: 1103 },
  ],
  ['uuid', simple('uuid', (text) => uuid.test(text), 'does not match the UUID format', 70)],
  ['byte', simple('byte', (text) => base64.test(text), 'invalid base64', 84)],
  ['date', simple('date', isDate, 'invalid date', 71)],
  ['datetime', simple('datetime', isDateTime, 'invalid datetime', 71)],
] as const satisfies readonly (readonly [string, Format])[])

function simple(name: string, holds: (text: string) => boolean, fault: string, patternSize: number): Format {
  return { name, faultsOf: (text) => (holds(text) ? [] : [fault]), patternSize }
}

function validate({ format }: FormatValue, text: string): Value {
  const faults = format.faultsOf(text)
  return faults.length === 0 ? Optional.none : new Optional(new PlainList(faults))
}

function namedFormat(name: string): Value {
  const format = formats.get(name)
  return format === undefined ? Optional.none : new Optional(new FormatValue(format))
}

export const namedFormats: Library = {
  validate: { overloads: { 'format-validate': ['Format.(string): optional(list(string))', validate] } },
  'format.named': { overloads: { 'format-named': ['(string): optional(Format)', namedFormat] } },
  ...Object.fromEntries(
    [...formats].map(([name, format]): [string, FunctionRows] => [
      `format.${name}`,
      { overloads: { [`format.${name}`]: ['(): Format', () => new FormatValue(format)] } },
    ]),
  ),
}
