// UTC offset of a time zone at a point in time, from JavaScript's time zone database. The offset is cached per minute,
// because
// offsets change only between minutes.

/** Returns the milliseconds to add to a UTC time for the zone's local time. */
export type ZoneOffset = (utcMs: number) => number

const minuteMs = 60_000
/** Cached minutes per zone. */
const remembered = 1_024

export const utcOffset: ZoneOffset = () => 0

/** Throws RangeError for an unknown zone. */
export function zoneOffset(name: string): ZoneOffset {
  if (name === '' || name === 'UTC') return utcOffset
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  const known = new Map<number, number>()
  return (utcMs) => {
    const minute = Math.floor(utcMs / minuteMs)
    const found = known.get(minute)
    if (found !== undefined) return found
    if (known.size >= remembered) known.clear()
    const offset = offsetShown(format, utcMs)
    known.set(minute, offset)
    return offset
  }
}

function offsetShown(format: Intl.DateTimeFormat, utcMs: number): number {
  const shown = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(shown) ?? []
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offset : offset
}
