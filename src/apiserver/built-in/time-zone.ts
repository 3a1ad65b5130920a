// Validation of time zone names against the zones of this process, which may differ from a real server's.
// Source: validateTimeZone of k8s.io/kubernetes/pkg/apis/batch/validation/validation.go.
import { invalid } from '../field-error.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

const part = /^[A-Za-z._\-0-9+]{1,14}$/

export function timeZoneErrors(zone: string, path: string): FieldErrors {
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')]
  const isWritten = zone
    .split('/')
    .every((name) => name !== '.' && name !== '..' && !name.startsWith('-') && part.test(name))
  if (!isWritten) return [invalid(path, zone, `unknown time zone ${zone}`)]
  const isLocal = zone.toLowerCase() === 'local'
  const known = isTimeZone(zone) ? noErrors : [invalid(path, zone, `unknown time zone ${zone}`)]
  if (!isLocal) return known
  return [
    invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    ...known,
  ]
}

/** Names are case-sensitive, as the files of a zone database are. */
export function isTimeZone(zone: string): boolean {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return true
  if (/^[+-]|\d\d:?\d\d$/.test(zone)) return false // An offset: only this process accepts it as a zone.
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
    return timeZone === zone || timeZone.toLowerCase() !== zone.toLowerCase()
  } catch {
    return false // A RangeError means that the zone does not exist.
  }
}
