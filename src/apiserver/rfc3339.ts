// RFC 3339 timestamps, parsed and rejected like upstream, normalized to UTC with whole seconds.
// Source: Go's time.Parse with the layout RFC3339, k8s.io/apimachinery/pkg/apis/meta/v1/time.go.
import { goQuoted } from './field-error.ts'

const layout = '2006-01-02T15:04:05Z07:00'

export type ParsedTime = { readonly time: string } | { readonly fault: string }

/** Returns the canonical form (`2020-01-01T00:00:00Z`), or Go's error text. */
export function parseRfc3339(text: string): ParsedTime {
  const canonical = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/
  if (canonical.test(text)) return { time: text }
  return new Reader(text).read()
}

/** Parts in order: name in the layout, pattern, range. */
const parts = [
  { name: '2006', pattern: /^[0-9]{4}/ },
  { name: '-', pattern: /^-/ },
  { name: '01', pattern: /^[0-9]{2}/, range: 'month', min: 1, max: 12 },
  { name: '-', pattern: /^-/ },
  { name: '02', pattern: /^[0-9]{2}/ },
  { name: 'T', pattern: /^T/ },
  { name: '15', pattern: /^[0-9]{2}/, range: 'hour', min: 0, max: 23 },
  { name: ':', pattern: /^:/ },
  { name: '04', pattern: /^[0-9]{2}/, range: 'minute', min: 0, max: 59 },
  { name: ':', pattern: /^:/ },
  { name: '05', pattern: /^[0-9]{2}(?:[.,][0-9]+)?/, range: 'second', min: 0, max: 59 },
  { name: 'Z07:00', pattern: /^(?:Z|[+-][0-9]{2}:[0-9]{2})/ },
] as const

class Reader {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  read(): ParsedTime {
    const found: string[] = []
    let rest = this.#text
    for (const part of parts) {
      const [taken] = part.pattern.exec(rest) ?? []
      if (taken === undefined) return this.#fault(`cannot parse ${goQuoted(rest)} as ${goQuoted(part.name)}`, true)
      rest = rest.slice(taken.length)
      if ('range' in part && (Number.parseInt(taken, 10) < part.min || Number.parseInt(taken, 10) > part.max))
        return this.#fault(`${part.range} out of range`, false)
      found.push(taken)
    }
    if (rest !== '') return this.#fault(`extra text: ${goQuoted(rest)}`, false)
    return this.#moment(found)
  }

  #moment(found: readonly string[]): ParsedTime {
    const [year = '', , month = '', , day = '', , hour = '', , minute = '', , second = '', zone = ''] = found
    const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
    if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return this.#fault('day out of range', false)
    const [, sign = '+', zoneHour = '00', zoneMinute = '00'] = /^([+-])([0-9]{2}):([0-9]{2})$/.exec(zone) ?? []
    if (Number(zoneHour) > 24) return this.#fault('time zone offset hour out of range', false)
    if (Number(zoneMinute) > 60) return this.#fault('time zone offset minute out of range', false)
    const offsetMinutes = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
    const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes
    const moment = new Date(date.getTime() + minutes * 60_000 + Number.parseInt(second, 10) * 1_000)
    return { time: moment.toISOString().replace(/\.[0-9]+Z$/, 'Z') }
  }

  #fault(what: string, withLayout: boolean): ParsedTime {
    const as = withLayout ? ` as ${goQuoted(layout)}` : ''
    return { fault: `parsing time ${goQuoted(this.#text)}${as}: ${what}` }
  }
}
