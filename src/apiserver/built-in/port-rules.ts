// Validation of ports: a number or a name. Source: k8s.io/apimachinery/pkg/util/validation/validation.go.
import type { Json } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { byteLength } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

const allowedCharacters = /^[-a-z0-9]+$/
const letter = /[a-z]/
const portRange = 'must be between 1 and 65535, inclusive'
/** In the order in which the server lists them. */
const protocols = ['SCTP', 'TCP', 'UDP']

export function validatePortNumber(port: number, field: string): FieldErrors {
  return port >= 1 && port <= 65535 ? noErrors : [invalid(field, port, portRange)]
}

export function validatePortName(name: string, field: string): FieldErrors {
  return invalids(field, name, portNameFaults(name))
}

/** Validates a port number or name. An absent port is the number 0. */
export function validatePort(port: Json | undefined, field: string): FieldErrors {
  if (typeof port === 'string') return validatePortName(port, field)
  return validatePortNumber(typeof port === 'number' ? port : 0, field)
}

export function portNameFaults(name: string): readonly string[] {
  const isLetterless = !letter.test(name)
  if (allowedCharacters.test(name) && !isLetterless && name.length <= 15 && !/--|^-|-$/.test(name)) return []
  return [
    ...(byteLength(name) > 15 ? ['must be no more than 15 characters'] : []),
    ...(allowedCharacters.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(isLetterless ? ['must contain at least one letter (a-z)'] : []),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ]
}

export function validateProtocol(protocol: string, field: string): readonly FieldError[] {
  if (protocol === '') return [required(field)]
  return protocols.includes(protocol) ? noErrors : [notSupported(field, protocol, protocols)]
}
