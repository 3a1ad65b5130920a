// Parser and writer of times, as Go's time.Parse reads RFC 3339. It accepts an hour of one digit, a comma before the
// fraction and
// an offset of 24 hours. Each error has Go's message.
// Source: the Go standard library, time/format.go; k8s.io/apimachinery/pkg/apis/meta/v1/{time,micro_time}.go.

/** The text as the server writes it, `null` for the zero time, or the fault. */
export type ReadTime = { readonly written: string | null } | { readonly fault: string }

const plainTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

/**
 * Reads metav1.Time: whole seconds, UTC. A time within the first second of year 1 is written, unless the stored form
 * has no
 * fractions: then it is the zero time.
 */
export function readTime(text: string, forgetsFractions: boolean): ReadTime {
  // Nearly every time is in canonical form.
  if (plainTime.test(text) && !text.startsWith('000')) return { written: text }
  return new TimeReader(text, forgetsFractions ? 'seconds' : 'secondsOfFractions').read()
}

/** Reads metav1.MicroTime: always six fraction digits, UTC. */
export function readMicroTime(text: string): ReadTime {
  return new TimeReader(text, 'micros').read()
}

type Precision = 'seconds' | 'secondsOfFractions' | 'micros'

/** Ends the parsing; the message is Go's text after the quoted input. */
class Unreadable extends Error {}

class TimeReader {
  /** One character for each byte, because Go counts and quotes bytes. */
  readonly #text: string
  readonly #precision: Precision
  #rest: string

  constructor(text: string, precision: Precision) {
    this.#text = Buffer.from(text, 'utf8').toString('latin1')
    this.#precision = precision
    this.#rest = this.#text
  }

  read(): ReadTime {
    try {
      return { written: this.#read() }
    } catch (thrown) {
      if (thrown instanceof Unreadable) return { fault: `parsing time ${quoted(this.#text)}${thrown.message}` }
      throw thrown
    }
  }

  #read(): string | null {
    const year = this.#year()
    this.#literal('-')
    const month = this.#digits('01', 2)
    if (month < 1 || month > 12) throw outOfRange('month')
    this.#literal('-')
    const day = this.#digits('02', 2)
    this.#literal('T')
    const hour = this.#digits('15', 1)
    if (hour > 23) throw outOfRange('hour')
    this.#literal(':')
    const minute = this.#digits('04', 2)
    if (minute > 59) throw outOfRange('minute')
    this.#literal(':')
    const second = this.#digits('05', 2)
    if (second > 59) throw outOfRange('second')
    const fraction = this.#fraction()
    const offsetSeconds = this.#offset()
    if (this.#rest !== '') throw new Unreadable(`: extra text: ${quoted(this.#rest)}`)
    const moment = new Date(0)
    moment.setUTCFullYear(year, month - 1, day)
    if (day < 1 || moment.getUTCMonth() !== month - 1) throw outOfRange('day')
    moment.setUTCHours(hour, minute, second)
    return written(new Date(moment.getTime() - offsetSeconds * 1000), fraction, this.#precision)
  }

  #year(): number {
    const digits = this.#rest.slice(0, 4)
    if (!/^\d{4}$/.test(digits)) throw this.#cannotParse('2006')
    this.#rest = this.#rest.slice(4)
    return Number(digits)
  }

  /** Reads two digits, or at least `least`. */
  #digits(layout: string, least: 1 | 2): number {
    const found = /^\d{1,2}/.exec(this.#rest)?.[0] ?? ''
    if (found.length < least) throw this.#cannotParse(layout)
    this.#rest = this.#rest.slice(found.length)
    return Number(found)
  }

  #literal(character: string): void {
    if (!this.#rest.startsWith(character)) throw this.#cannotParse(character)
    this.#rest = this.#rest.slice(1)
  }

  /** Reads the fraction. Any number of digits is valid if the layout has no fraction. */
  #fraction(): string {
    const hasMicros = this.#precision === 'micros'
    const found = (hasMicros ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(this.#rest)?.[0]
    if (found === undefined && hasMicros) throw this.#cannotParse('.000000')
    this.#rest = this.#rest.slice(found?.length ?? 0)
    return found?.slice(1) ?? ''
  }

  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1)
      return 0
    }
    const [whole, sign, hours, minutes] = /^(.)(..):(..)/s.exec(this.#rest) ?? []
    if (whole === undefined || sign === undefined) throw this.#cannotParse('Z07:00')
    const areDigits = /^\d\d$/.test(hours ?? '') && /^\d\d$/.test(minutes ?? '')
    // Range errors come before syntax errors.
    if (/^\d\d$/.test(hours ?? '') && Number(hours) > 24) throw outOfRange('time zone offset hour')
    if (areDigits && Number(minutes) > 60) throw outOfRange('time zone offset minute')
    if (!areDigits || !'+-'.includes(sign)) throw this.#cannotParse('Z07:00')
    this.#rest = this.#rest.slice(whole.length)
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60)
  }

  #cannotParse(layout: string): Unreadable {
    const whole = `2006-01-02T15:04:05${this.#precision === 'micros' ? '.000000' : ''}Z07:00`
    return new Unreadable(` as ${quoted(whole)}: cannot parse ${quoted(this.#rest)} as ${quoted(layout)}`)
  }
}

function outOfRange(what: string): Unreadable {
  return new Unreadable(`: ${what} out of range`)
}

function written(moment: Date, fraction: string, precision: Precision): string | null {
  const year = moment.getUTCFullYear()
  const date = [year < 0 ? `-${padded(-year, 3)}` : padded(year, 4), moment.getUTCMonth() + 1, moment.getUTCDate()]
  const time = [moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds()]
  const text = `${date.map((part) => padded(part)).join('-')}T${time.map((part) => padded(part)).join(':')}`
  const hasFraction = precision !== 'seconds' && /[1-9]/.test(fraction)
  if (text === '0001-01-01T00:00:00' && !hasFraction) return null
  return precision === 'micros' ? `${text}.${fraction}Z` : `${text}Z`
}

function padded(value: number | string, length = 2): string {
  return String(value).padStart(length, '0')
}

/** Quotes as Go's time package: bytes other than printable ASCII in hexadecimal. */
function quoted(bytes: string): string {
  const inner = bytes.replace(/["\\]|[^ -\x7f]/g, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `"${inner}"`
}
